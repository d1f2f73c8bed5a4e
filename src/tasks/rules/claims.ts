import type { Caller, Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { formatIsoTime } from '#lib/iso-time.ts';
import type { HolderState, TaskClaim } from '../model/task.ts';

export interface ClaimLimits {
  /** The time of the store; see `ClaimReads.getLeaseTime`. */
  now: string;
  ttlMinutes: number;
  awayMinutes: number;
  silentMinutes: number;
  /** Undefined if the process cannot be judged from here: another machine or another process namespace. */
  isProcessRunning(process: string): boolean | undefined;
}

/** A claim is a lease: when its holder has not written for `ttlMinutes`, another agent may take the task over. */
export const isExpired = (claim: Claim, now: string, ttlMinutes: number): boolean => isPast(claim.renewedAt, ttlMinutes, now);

/** Judges a holder by its claim. It is away if its process or its MCP connection is gone, and silent if it has not written for
 *  `silentMinutes`. A claim without a process is never away. */
export function judgeHolder(claim: Claim, limits: ClaimLimits): HolderState {
  if (isAway(claim, limits)) return 'away';
  if (isExpired(claim, limits.now, limits.ttlMinutes)) return 'expired';
  return isPast(claim.renewedAt, limits.silentMinutes, limits.now) ? 'silent' : 'present';
}

/** A lapsed claim protects the task no longer: it has expired, or its holder has been away for `awayMinutes`. A process that is
 *  gone counts as away since the last sign of life. Time is compared first, because looking up a process costs more. */
export const isLapsed = (claim: Claim, limits: ClaimLimits): boolean =>
  isExpired(claim, limits.now, limits.ttlMinutes) ||
  (isPast(claim.awayAt ?? claim.renewedAt, limits.awayMinutes, limits.now) && isAway(claim, limits));

/** Returns the time until one of the claims can lapse without a write. A process can end at any time, so that its claim is looked at again
 *  after `minRecheckMs`. */
export function findNextLapseMs(
  claims: Claim[],
  { now, ttlMinutes, awayMinutes }: Omit<ClaimLimits, 'isProcessRunning'>,
): number | undefined {
  const times = claims.flatMap(({ renewedAt, awayAt, process }) => [
    addMinutes(renewedAt, ttlMinutes),
    ...(process === undefined ? [] : [addMinutes(awayAt ?? renewedAt, awayMinutes)]),
  ]);
  return times.length === 0 ? undefined : Math.max(minRecheckMs, Math.min(...times) - Date.parse(now) + 1);
}

const minRecheckMs = 30_000;

/** An agent may take over from a holder that is away, silent or expired. Taking it from a present one needs scope `decide`. */
export const canTakeOver = (state: HolderState): boolean => state !== 'present';

type LeaseLimits = Pick<ClaimLimits, 'ttlMinutes' | 'awayMinutes' | 'silentMinutes'>;

/** A connected server renews after a quarter of the shortest limit. Its agent is then never silent, and an agent whose process
 *  ends was seen shortly before. */
export const getRenewalIntervalMs = ({ ttlMinutes, awayMinutes, silentMinutes }: LeaseLimits): number =>
  (Math.min(ttlMinutes, awayMinutes, silentMinutes) / 4) * 60_000;

/** Returns the time until a claim has to be renewed; at once if its holder was marked as away. */
export const getRenewalMs = ({ renewedAt, awayAt }: Claim, { now, ...limits }: LeaseLimits & Pick<ClaimLimits, 'now'>): number =>
  awayAt === undefined ? Math.max(0, Date.parse(renewedAt) + getRenewalIntervalMs(limits) - Date.parse(now) + 1) : 0;

const isAway = ({ process, awayAt }: Claim, { isProcessRunning }: Pick<ClaimLimits, 'isProcessRunning'>): boolean =>
  process !== undefined && (awayAt !== undefined || isProcessRunning(process) === false);

const isPast = (since: string, minutes: number, now: string): boolean => addMinutes(since, minutes) < Date.parse(now);
const addMinutes = (time: string, minutes: number): number => Date.parse(time) + minutes * 60_000;

/** Shows a claim. The last sign of life is shown unless the holder is present. */
export const toTaskClaim = (claim: Claim, ttlMinutes: number, state: HolderState): TaskClaim =>
  defined({
    agent: claim.agent,
    session: claim.session,
    since: claim.claimedAt,
    until: formatIsoTime(addMinutes(claim.renewedAt, ttlMinutes)),
    ...toAbsence(state),
    lastSeen: state === 'present' ? undefined : claim.renewedAt,
  });

/** Shows the state of a holder that is not present, so that answers about present ones stay short. */
export const toAbsence = (state: HolderState): { state?: HolderState } => (state === 'present' ? {} : { state });

/** The holder is the same agent in the same session. A claim made outside a session stays valid when its agent joins one. */
export const isHolder = (claim: Claim, caller: Caller): boolean =>
  claim.agent === caller.agent && (claim.session === undefined || claim.session === caller.session);

export const formatHolder = ({ agent, session }: Caller): string => (session ? `${agent} (${session})` : agent);

/** Says why a lapsed claim was taken over. */
export const formatLapse = (claim: Claim, state: HolderState): string =>
  state === 'away' ? `${formatHolder(claim)} was away` : `the claim of ${formatHolder(claim)} expired`;

/** Maps each claimed task to its holder. */
export const indexHolders = (claims: Claim[]): Map<TaskId, string> => new Map(claims.map((claim) => [claim.taskId, formatHolder(claim)]));

/** The time to store for a new focus. It is later than that of the current focus, even if the clock was set back. */
export const toFocusTime = (now: string, current: Claim | undefined): string =>
  current && current.focusedAt >= now ? formatIsoTime(Date.parse(current.focusedAt) + 1) : now;
