import type { Ground } from '#platform/ground-port.ts';
import { reviewsIn } from '../rules/review-state.ts';
import { eventsIn } from '../rules/trace.ts';
import { hashesIn, type PruneCandidate, type PrunePlan, prunePlan } from '../rules/trace-prune.ts';
import { aloneWith } from './alone.ts';
import { isLive, type KeptRun, keptRuns, recordOf } from './kept-runs.ts';

export interface PruneOptions {
  now: string;
  days?: number | undefined;
  isAll: boolean;
  isDryRun: boolean;
  /** Only this one. */
  runId?: string;
}

/** What is left of a run that is gone. */
export interface Pruned {
  run_id: string;
  head: string | null;
  lines: number;
}

const waitMs = 5000;
const dayMs = 86_400_000;

/** Takes away the runs that have had their time: trace, folder, and payloads that no trace names any more. */
export async function prune(ground: Ground, options: PruneOptions): Promise<{ pruned: Pruned[]; spared: PrunePlan['spared'] }> {
  if (options.isDryRun) return pruned(ground, options);
  const lock = await ground.lock('prune', waitMs);
  try {
    return await pruned(ground, options);
  } finally {
    lock.release();
  }
}

/** At most once a day, when a run begins. That it fails is nobody's failure but is told. */
export async function pruneDaily(ground: Ground, now: string): Promise<{ pruned: Pruned[]; problem?: string }> {
  try {
    if (ground.traces.lookedAt().slice(0, 10) === now.slice(0, 10)) return { pruned: [] };
    const { pruned } = await prune(ground, { now, isAll: false, isDryRun: false });
    ground.traces.noteLook(now);
    return { pruned };
  } catch (error) {
    return { pruned: [], problem: `what has had its time was not taken away: ${(error as Error).message}` };
  }
}

/** A run that is not to be kept goes when it ends, or when nobody has to judge it any more. */
export async function pruneEnded(ground: Ground, runId: string, now: string): Promise<{ pruned: Pruned[]; problem?: string }> {
  try {
    if (recordOf(ground, runId)?.retention_days !== 0) return { pruned: [] };
    return { pruned: (await prune(ground, { now, isAll: false, isDryRun: false, runId })).pruned };
  } catch (error) {
    return { pruned: [], problem: `${runId} was not taken away: ${(error as Error).message}` };
  }
}

async function pruned(
  ground: Ground,
  { now, days, isAll, isDryRun, runId }: PruneOptions,
): Promise<{ pruned: Pruned[]; spared: PrunePlan['spared'] }> {
  const runs = keptRuns(ground);
  const waiting = new Set(
    reviewsIn(ground.reviews.read(), now)
      .filter(({ status }) => status !== 'resolved')
      .map((review) => review.runId),
  );
  const candidates = runs.filter((run) => runId === undefined || run.runId === runId).map((run) => candidateOf(ground, run, waiting));
  const { remove, spared } = prunePlan(candidates, { now, days, isAll });
  const gone = runs.filter((run) => remove.includes(run.runId));
  const left = gone.map((run) => remainsOf(ground, run));
  if (!isDryRun && gone.length > 0) await take(ground, gone, left, now);
  return { pruned: left, spared };
}

function candidateOf(ground: Ground, { runId, trace }: KeptRun, waiting: Set<string>): PruneCandidate {
  const record = recordOf(ground, runId);
  const last = trace ? lastMoment(ground.traces.read(trace)?.text ?? '') : (record?.completed_at ?? record?.started_at);
  return {
    runId,
    lastAt: last || (trace ? ground.traces.changedAt(trace) : ground.runs.changedAt(runId)),
    isLive: isLive(ground, record),
    hasOpenReview: waiting.has(runId),
    retentionDays: record ? record.retention_days : 30,
  };
}

/** Of the last event; undefined where nothing can be read. That somebody scored a run makes it no younger: what is scored every night
 *  would never have had its time. */
function lastMoment(text: string): string | undefined {
  // The last line is enough, unless it is damaged.
  const tail = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
  const lastOf = (part: string) => eventsIn(part).lines.findLast(({ line }) => line.event !== 'score_recorded');
  return (lastOf(tail) ?? lastOf(text))?.line.ts;
}

function remainsOf(ground: Ground, { runId, trace }: KeptRun): Pruned {
  const text = (trace && ground.traces.read(trace)?.text) || '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole === '') return { run_id: runId, head: null, lines: 0 };
  const last = whole.slice(whole.lastIndexOf('\n', whole.length - 2) + 1, -1);
  return { run_id: runId, head: ground.hash(last), lines: whole.split('\n').length - 1 };
}

/** The note first: a run that is gone without one is a run that somebody hid. */
async function take(ground: Ground, gone: KeptRun[], left: Pruned[], now: string): Promise<void> {
  const blobs = ground.traces.blobs();
  const named = new Set(blobs.length === 0 ? [] : gone.flatMap(({ trace }) => [...hashesOf(ground, trace)]));
  const noted = new Set(ground.traces.pruned().match(/"run_id":"[^"]*"/g) ?? []);
  for (const [i, { runId, trace }] of gone.entries())
    await aloneWith(ground, runId, () => {
      // Somebody may have gone on with it meanwhile.
      if (isLive(ground, recordOf(ground, runId))) return;
      if (!noted.has(`"run_id":${JSON.stringify(runId)}`)) ground.traces.notePruned(JSON.stringify(left[i]));
      if (trace) ground.traces.remove(trace);
      ground.runs.remove(runId);
    });
  if (blobs.length === 0) return;
  const needed = new Set(ground.traces.list().flatMap(({ name }) => [...hashesOf(ground, name)]));
  for (const { name, changedAt } of blobs) {
    // A young one that nothing names may belong to a line that is just being written.
    const isOld = Date.parse(now) - Date.parse(changedAt) > dayMs;
    if (!needed.has(name) && (named.has(name) || isOld)) ground.traces.removeBlob(name);
  }
}

const hashesOf = (ground: Ground, trace: string | undefined): Set<string> =>
  hashesIn((trace === undefined ? undefined : ground.traces.read(trace)?.text) ?? '');
