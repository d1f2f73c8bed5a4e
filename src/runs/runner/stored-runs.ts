import { commandLine } from '#core/errors/quote.ts';
import { defined } from '#lib/defined.ts';
import { createGlobMatcher, isGlob } from '#lib/glob.ts';
import { findNearest } from '#lib/nearest.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError } from '../errors/skill.ts';
import type { RunRecord } from '../model/trace.ts';
import { parseEvents } from '../rules/trace.ts';
import { parseRunRecord, type RunView, summarizeRun } from '../rules/trace-runs.ts';

/** A run with a folder, a trace, or both. */
export interface StoredRun {
  runId: string;
  /** Name of the trace file. */
  trace?: string;
}

/** All runs, oldest first: ids begin with the start time. */
export function listStoredRuns(platform: RunnerPlatform): StoredRun[] {
  const traces = new Map(platform.traces.list().map(({ name, runId }) => [runId, name]));
  return [...new Set([...traces.keys(), ...platform.runs.list()])]
    .sort()
    .map((runId) => ({ runId, ...defined({ trace: traces.get(runId) }) }));
}

/** Finds a run by its id, a unique beginning or end of the id, or the name of its trace. Every command that takes a run uses this. */
export function findRun(platform: RunnerPlatform, name: string): StoredRun {
  const runs = listStoredRuns(platform);
  const wanted = removeFolder(name);
  const exact = runs.find((run) => listNames(run).includes(wanted));
  if (exact) return exact;
  // A prefix of `run-` would match every run.
  const matches = 'run-'.startsWith(wanted) ? [] : runs.filter(({ runId }) => runId.startsWith(wanted) || runId.endsWith(wanted));
  if (matches.length === 1) return matches[0]!;
  const ids = (list: StoredRun[]): string[] => list.map(({ runId }) => runId);
  const suggestions = (matches.length > 0 ? ids(matches) : findNearest(wanted, ids(runs))).slice(-3);
  const problem = matches.length > 1 ? `${JSON.stringify(name)} matches ${matches.length} runs` : `there is no run ${JSON.stringify(name)}`;
  throw createSkillError(64, problem, suggestions[0] ? commandLine(['cleo', 'trace', 'show', suggestions.at(-1)!]) : 'cleo trace list', {
    run: name,
    ...(suggestions.length > 0 ? { suggestions } : {}),
  });
}

/** Finds the runs that match a name (see `findRun`) or a pattern of ids or trace names; all runs without a name. */
export function findRuns(platform: RunnerPlatform, name: string | undefined): StoredRun[] {
  if (name === undefined) return listStoredRuns(platform);
  if (!isGlob(name)) return [findRun(platform, name)];
  const matches = createGlobMatcher(removeFolder(name));
  return listStoredRuns(platform).filter((run) => listNames(run).some(matches));
}

const listNames = ({ runId, trace }: StoredRun): string[] => [runId, ...(trace ? [trace, trace.replace(/\.jsonl$/, '')] : [])];

/** A shell completes the name of a trace with its folder. */
const removeFolder = (name: string): string => name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);

export const readRunRecord = (platform: RunnerPlatform, runId: string): RunRecord | undefined =>
  parseRunRecord(platform.runs.read(runId, 'run.json'));

export const isRunLive = (platform: RunnerPlatform, record: RunRecord | undefined): boolean =>
  record?.status === 'running' && platform.isAlive(record);

/** Describes a run. Its trace is read only if the record does not say how it ended. */
export function describeRun(platform: RunnerPlatform, { runId, trace }: StoredRun): RunView {
  const record = readRunRecord(platform, runId);
  const isOpen = record === undefined || record.status === 'running';
  const isAlive = isRunLive(platform, record);
  const ended = isOpen && !isAlive && trace ? readEnd(platform.traces.read(trace)?.text ?? '') : undefined;
  return summarizeRun({ runId, trace, record, isAlive, ended });
}

/** The end of a run according to its trace; undefined if it was resumed after that. */
function readEnd(text: string): { status: string; exitCode: number | null; at: string } | undefined {
  const last = parseEvents(text).lines.findLast(({ line }) => line.event === 'run_completed' || line.event === 'run_resumed')?.line;
  if (last?.event !== 'run_completed') return undefined;
  const { status, exit_code: code } = last.data;
  return { status: String(status), exitCode: typeof code === 'number' ? code : null, at: last.ts };
}
