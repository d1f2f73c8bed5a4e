import type { PlanSeen, PlanStamp } from '../../model/plan.ts';

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\.[0-9a-f]{4}\.[0-9a-f]{1,64}$/;
const timeLength = 24;
const counterEnd = timeLength + 5;
const maxCounter = 0xffff;
/** Years before 0 and after 9999 have another text form, which would not sort. */
const [minMs, maxMs] = [0, Date.UTC(9999, 11, 31)];

/** A stamp of another replica that is further ahead of the local clock is not followed, so that one wrong clock does not date the edits
 *  of everyone who reads it. */
export const maxDriftMs = 86_400_000;

export const isStamp = (text: unknown): text is PlanStamp =>
  typeof text === 'string' && pattern.test(text) && !Number.isNaN(Date.parse(text.slice(0, timeLength)));

export const getStampReplica = (stamp: PlanStamp): string => stamp.slice(counterEnd + 1);

/** Returns the wall time of a stamp, ISO 8601. */
export const getStampTime = (stamp: PlanStamp): string => stamp.slice(0, timeLength);

/** Creates the first stamp at a time. */
export const createStamp = (ms: number, replica: string, counter = 0): PlanStamp =>
  `${new Date(Math.min(Math.max(ms, minMs), maxMs)).toISOString()}.${counter.toString(16).padStart(4, '0')}.${replica}`;

/** Creates a stamp at `nowMs` that is later than `previous`, also if the wall clock was set back. */
export function nextStamp(previous: PlanStamp | undefined, nowMs: number, replica: string): PlanStamp {
  const stamp = createStamp(nowMs, replica);
  if (previous === undefined || getStampTime(stamp) > getStampTime(previous)) return stamp;
  const previousMs = Date.parse(getStampTime(previous));
  const counter = Number.parseInt(previous.slice(timeLength + 1, counterEnd), 16) + 1;
  return counter > maxCounter ? createStamp(previousMs + 1, replica) : createStamp(previousMs, replica, counter);
}

/** Compares texts by code unit, as stamps, uids and keys are ordered in files and results. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const covers = (seen: PlanSeen, stamp: PlanStamp): boolean => (seen[getStampReplica(stamp)] ?? '') >= stamp;

/** Adds a stamp to `seen`. */
export function addSeen(seen: PlanSeen, stamp: PlanStamp): void {
  const replica = getStampReplica(stamp);
  if ((seen[replica] ?? '') < stamp) seen[replica] = stamp;
}

export function mergeSeen(a: PlanSeen, b: PlanSeen): PlanSeen {
  const merged = { ...a };
  for (const stamp of Object.values(b)) addSeen(merged, stamp);
  return merged;
}

/** Returns the latest stamp that the next edit of a record must follow: all of the own replica, and those of others that are not too far
 *  ahead of the clock. Removed and replaced entries are decided by `seen`, so an edit does not need to be later than what it replaces. */
export function findLatestStamp(seen: PlanSeen, replica: string, nowMs: number): PlanStamp | undefined {
  const limit = createStamp(nowMs + maxDriftMs, '');
  let latest = seen[replica];
  for (const stamp of Object.values(seen)) if (stamp < limit && (latest === undefined || stamp > latest)) latest = stamp;
  return latest;
}
