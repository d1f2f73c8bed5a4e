/** A run as retention sees it. */
export interface PruneCandidate {
  runId: string;
  /** When its last event was. */
  lastAt: string;
  isLive: boolean;
  hasOpenReview: boolean;
  /** What its construct says; null: kept. */
  retentionDays: number | null;
}

export interface PrunePlan {
  remove: string[];
  /** Due, but held back. */
  spared: { runId: string; why: 'live' | 'open_review' | 'kept' }[];
}

const dayMs = 86_400_000;

/** Which runs have had their time. `days` takes the place of what each run's construct says; `isAll` spares none for being under way,
 *  under review or meant to be kept. */
export function prunePlan(
  runs: PruneCandidate[],
  { now, days, isAll }: { now: string; days?: number | undefined; isAll: boolean },
): PrunePlan {
  const plan: PrunePlan = { remove: [], spared: [] };
  for (const run of runs) {
    const limit = run.retentionDays === null && !isAll ? null : (days ?? run.retentionDays);
    const age = (Date.parse(now) - Date.parse(run.lastAt)) / dayMs;
    // An age that nobody can tell is none; and a clock that went back makes nothing older.
    const isDue = (least: number): boolean => least === 0 || age >= least;
    if (limit === null) {
      if (days !== undefined && isDue(days)) plan.spared.push({ runId: run.runId, why: 'kept' });
    } else if (!isDue(limit)) continue;
    else if (isAll || !(run.isLive || run.hasOpenReview)) plan.remove.push(run.runId);
    else plan.spared.push({ runId: run.runId, why: run.isLive ? 'live' : 'open_review' });
  }
  return plan;
}

/** The hashes that a text names: what a trace refers to is called by one. */
export const hashesIn = (text: string): Set<string> => new Set(text.match(/\b[0-9a-f]{64}\b/g) ?? []);
