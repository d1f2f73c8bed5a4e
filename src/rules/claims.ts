import type { Caller, Claim } from '../model/audit.ts';

/** A claim is a lease: without a write by its holder for this long, another may take the task over. */
export function isExpired(claim: Claim, now: string, ttlMinutes: number): boolean {
  return Date.parse(claim.renewedAt) + ttlMinutes * 60_000 < Date.parse(now);
}

/** The same agent in the same session. What it took outside any session stays its own when it joins one. */
export const isHolder = (claim: Claim, caller: Caller): boolean =>
  claim.agent === caller.agent && (claim.session === undefined || claim.session === caller.session);

/** Who holds it, for people. */
export const holderOf = (claim: Claim): string => (claim.session ? `${claim.agent} (${claim.session})` : claim.agent);
