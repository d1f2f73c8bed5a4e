/** The facts about a run that decide whether it is pruned. */
export interface PruneCandidate {
  runId: string;
  /** Time of the last event. */
  lastAt: string;
  isLive: boolean;
  hasOpenReview: boolean;
  /** The retention of its construct; null: keep forever. */
  retentionDays: number | null;
}

export interface PrunePlan {
  remove: string[];
  /** Runs that are due but not removed. */
  kept: { runId: string; reason: 'live' | 'open_review' | 'kept' }[];
}

const dayMs = 86_400_000;

/** Selects runs whose retention has ended. `days` replaces the retention of each run; `isAll` also removes runs that are live, under review
 *  or kept forever. */
export function planPrune(
  runs: PruneCandidate[],
  { now, days, isAll }: { now: string; days?: number | undefined; isAll: boolean },
): PrunePlan {
  const plan: PrunePlan = { remove: [], kept: [] };
  for (const run of runs) {
    const limit = run.retentionDays === null && !isAll ? null : (days ?? run.retentionDays);
    const age = (Date.parse(now) - Date.parse(run.lastAt)) / dayMs;
    // An invalid date gives NaN, which is never due, and a clock that was set back makes no run older.
    const isDue = (days: number): boolean => days === 0 || age >= days;
    if (limit === null) {
      if (days !== undefined && isDue(days)) plan.kept.push({ runId: run.runId, reason: 'kept' });
    } else if (!isDue(limit)) continue;
    else if (isAll || !(run.isLive || run.hasOpenReview)) plan.remove.push(run.runId);
    else plan.kept.push({ runId: run.runId, reason: run.isLive ? 'live' : 'open_review' });
  }
  return plan;
}

/** The hashes in a text; traces refer to blobs by hash. */
export const findHashes = (text: string): Set<string> => new Set(text.match(/\b[0-9a-f]{64}\b/g) ?? []);
