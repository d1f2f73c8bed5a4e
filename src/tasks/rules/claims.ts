import type { Caller, Claim } from '#core/model/audit.ts';
import { defined } from '#lib/defined.ts';
import type { TaskClaim } from '../model/task.ts';

/** A claim is a lease: when its holder has not written for `ttlMinutes`, another agent may take the task over. */
export function isExpired(claim: Claim, now: string, ttlMinutes: number): boolean {
  return toExpiryMs(claim, ttlMinutes) < Date.parse(now);
}

export const toTaskClaim = (claim: Claim, ttlMinutes: number): TaskClaim =>
  defined({
    agent: claim.agent,
    session: claim.session,
    since: claim.claimedAt,
    until: new Date(toExpiryMs(claim, ttlMinutes)).toISOString(),
  });

const toExpiryMs = ({ renewedAt }: Claim, ttlMinutes: number): number => Date.parse(renewedAt) + ttlMinutes * 60_000;

/** The holder is the same agent in the same session. A claim made outside a session stays valid when its agent joins one. */
export const isHolder = (claim: Claim, caller: Caller): boolean =>
  claim.agent === caller.agent && (claim.session === undefined || claim.session === caller.session);

export const formatHolder = (claim: Claim): string => (claim.session ? `${claim.agent} (${claim.session})` : claim.agent);
