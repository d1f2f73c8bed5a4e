import type { Caller, Claim } from '#core/model/audit.ts';
import { isoTime } from '#lib/iso-time.ts';
import type { TaskClaim } from '../model/task.ts';

/** A claim is a lease: without a write by its holder for this long, another may take the task over. */
export function isExpired(claim: Claim, now: string, ttlMinutes: number): boolean {
  return lapsesAt(claim, ttlMinutes) < Date.parse(now);
}

/** A claim as the task itself shows it. */
export const claimView = (claim: Claim, ttlMinutes: number): TaskClaim => ({
  agent: claim.agent,
  ...(claim.session ? { session: claim.session } : {}),
  since: claim.claimedAt,
  until: isoTime(lapsesAt(claim, ttlMinutes)),
});

const lapsesAt = ({ renewedAt }: Claim, ttlMinutes: number): number => Date.parse(renewedAt) + ttlMinutes * 60_000;

/** The same agent in the same session. What it took outside any session stays its own when it joins one. */
export const isHolder = (claim: Claim, caller: Caller): boolean =>
  claim.agent === caller.agent && (claim.session === undefined || claim.session === caller.session);

/** Who holds it, for people. */
export const holderOf = (claim: Claim): string => (claim.session ? `${claim.agent} (${claim.session})` : claim.agent);
