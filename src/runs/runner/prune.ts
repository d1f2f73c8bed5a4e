import type { RunnerPlatform } from '#platform/runner/port.ts';
import { buildReviews, parseReviews } from '../rules/review-state.ts';
import { parseEvents } from '../rules/trace.ts';
import type { StoredRun } from '../rules/trace-name.ts';
import { findHashes, type PruneCandidate, type PrunePlan, planPrune } from '../rules/trace-prune.ts';
import { withRunLock } from './run-lock.ts';
import { isRunLive, listStoredRuns, readRunRecord } from './stored-runs.ts';

interface PruneOptions {
  now: string;
  days?: number | undefined;
  isAll: boolean;
  isDryRun: boolean;
  /** Considers only this run. */
  runId?: string;
}

/** The line of a removed run in PRUNED.jsonl. */
interface PrunedRun {
  run_id: string;
  head: string | null;
  lines: number;
}

const waitMs = 5000;
const dayMs = 86_400_000;

/** Removes runs whose retention has ended: trace, folder, and blobs that no other trace refers to. */
export async function pruneRuns(
  platform: RunnerPlatform,
  options: PruneOptions,
): Promise<{ pruned: PrunedRun[]; kept: PrunePlan['kept'] }> {
  if (options.isDryRun) return removeExpired(platform, options);
  const lock = await platform.acquireLock('prune', waitMs);
  try {
    return await removeExpired(platform, options);
  } finally {
    lock.release();
  }
}

/** Prunes at most once a day, when a run starts. A failure does not fail the run. */
export async function pruneDaily(platform: RunnerPlatform, now: string): Promise<{ pruned: PrunedRun[]; problem?: string }> {
  try {
    if (platform.traces.readLastPrune().slice(0, 10) === now.slice(0, 10)) return { pruned: [] };
    const { pruned } = await pruneRuns(platform, { now, isAll: false, isDryRun: false });
    platform.traces.recordPrune(now);
    return { pruned };
  } catch (error) {
    return { pruned: [], problem: `expired runs were not pruned: ${(error as Error).message}` };
  }
}

/** Removes a run with a retention of 0 days when it ends, or when its last review is resolved. */
export async function pruneFinishedRun(platform: RunnerPlatform, runId: string, now: string): Promise<{ problem?: string }> {
  try {
    if (readRunRecord(platform, runId)?.retention_days === 0) await pruneRuns(platform, { now, isAll: false, isDryRun: false, runId });
    return {};
  } catch (error) {
    return { problem: `${runId} was not pruned: ${(error as Error).message}` };
  }
}

async function removeExpired(
  platform: RunnerPlatform,
  { now, days, isAll, isDryRun, runId }: PruneOptions,
): Promise<{ pruned: PrunedRun[]; kept: PrunePlan['kept'] }> {
  const runs = listStoredRuns(platform);
  const underReview = new Set(
    buildReviews(parseReviews(platform.reviews.read()).events, now)
      .filter(({ status }) => status !== 'resolved')
      .map((review) => review.runId),
  );
  const candidates = runs.filter((run) => runId === undefined || run.runId === runId).map((run) => toCandidate(platform, run, underReview));
  const { remove, kept } = planPrune(candidates, { now, days, isAll });
  const expired = runs.filter((run) => remove.includes(run.runId));
  const pruned = expired.map((run) => describePruned(platform, run));
  if (!isDryRun && expired.length > 0) await removeRuns(platform, expired, pruned, now);
  return { pruned, kept };
}

function toCandidate(platform: RunnerPlatform, { runId, trace }: StoredRun, underReview: Set<string>): PruneCandidate {
  const record = readRunRecord(platform, runId);
  const last = trace ? findLastTime(platform.traces.read(trace)?.text ?? '') : (record?.completed_at ?? record?.started_at);
  return {
    runId,
    lastAt: last || (trace ? platform.traces.modifiedAt(trace) : platform.runs.modifiedAt(runId)),
    isLive: isRunLive(platform, record),
    hasOpenReview: underReview.has(runId),
    retentionDays: record ? record.retention_days : 30,
  };
}

/** Time of the last event. A score does not count: runs that are assessed every night would never expire. */
function findLastTime(text: string): string | undefined {
  // The last line is enough, unless it is damaged.
  const tail = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
  const findLast = (part: string) => parseEvents(part).lines.findLast(({ line }) => line.event !== 'score_recorded');
  return (findLast(tail) ?? findLast(text))?.line.ts;
}

function describePruned(platform: RunnerPlatform, { runId, trace }: StoredRun): PrunedRun {
  const text = (trace && platform.traces.read(trace)?.text) || '';
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  if (complete === '') return { run_id: runId, head: null, lines: 0 };
  const last = complete.slice(complete.lastIndexOf('\n', complete.length - 2) + 1, -1);
  return { run_id: runId, head: platform.hash(last), lines: complete.split('\n').length - 1 };
}

/** Writes PRUNED.jsonl before it removes a run: a run that is missing without a line there was deleted by other means. */
async function removeRuns(platform: RunnerPlatform, expired: StoredRun[], pruned: PrunedRun[], now: string): Promise<void> {
  const blobs = platform.traces.listBlobs();
  const released = new Set(blobs.length === 0 ? [] : expired.flatMap(({ trace }) => [...readHashes(platform, trace)]));
  const noted = new Set(platform.traces.readPruned().match(/"run_id":"[^"]*"/g) ?? []);
  for (const [i, { runId, trace }] of expired.entries())
    await withRunLock(platform, runId, () => {
      // Another process may have resumed the run.
      if (isRunLive(platform, readRunRecord(platform, runId))) return;
      if (!noted.has(`"run_id":${JSON.stringify(runId)}`)) platform.traces.appendPruned(JSON.stringify(pruned[i]));
      if (trace) platform.traces.remove(trace);
      platform.runs.remove(runId);
    });
  if (blobs.length === 0) return;
  const needed = new Set(platform.traces.list().flatMap(({ name }) => [...readHashes(platform, name)]));
  for (const { name, modifiedAt } of blobs) {
    // A new blob that no trace refers to may belong to a line that is just being written.
    const isOld = Date.parse(now) - Date.parse(modifiedAt) > dayMs;
    if (!needed.has(name) && (released.has(name) || isOld)) platform.traces.removeBlob(name);
  }
}

const readHashes = (platform: RunnerPlatform, trace: string | undefined): Set<string> =>
  findHashes((trace === undefined ? undefined : platform.traces.read(trace)?.text) ?? '');
