import { createGlobMatcher, isGlob } from '#lib/glob.ts';

/** The run id of a trace: `2026-01-31-run-x.jsonl` is the trace of `run-x`. */
export const toRunId = (name: string): string => name.slice('2026-01-31-'.length, -'.jsonl'.length);

export const isTraceName = (name: string): boolean => /^\d{4}-\d\d-\d\d-.+\.jsonl$/.test(name);

/** A run with a folder, a trace, or both. */
export interface StoredRun {
  runId: string;
  /** Name of the trace file. */
  trace?: string;
}

/** Finds runs by id, by trace name with or without extension, by a pattern of either, or by a beginning or end of the id. A leading
 *  folder, as shells add it, is ignored. */
export function matchRuns(name: string, runs: StoredRun[]): StoredRun[] {
  const wanted = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  if (isGlob(wanted)) {
    const matches = createGlobMatcher(wanted);
    return runs.filter((run) => listNames(run).some(matches));
  }
  const exact = runs.find((run) => listNames(run).includes(wanted));
  if (exact) return [exact];
  // A prefix of `run-` would match every run.
  return 'run-'.startsWith(wanted) ? [] : runs.filter(({ runId }) => runId.startsWith(wanted) || runId.endsWith(wanted));
}

const listNames = ({ runId, trace }: StoredRun): string[] => [runId, ...(trace ? [trace, trace.replace(/\.jsonl$/, '')] : [])];
