import { commandLine } from '#core/errors/catalog.ts';
import { defined } from '#lib/collections.ts';
import { isGlob } from '#lib/glob.ts';
import { findNearest } from '#lib/nearest.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError } from '../errors/skill.ts';
import type { RunRecord } from '../model/trace.ts';
import { parseEvents } from '../rules/trace.ts';
import { matchRuns, type StoredRun } from '../rules/trace-name.ts';
import { parseRunRecord, type RunView, summarizeRun } from '../rules/trace-runs.ts';

/** All runs, oldest first: ids begin with the start time. */
export function listStoredRuns(platform: RunnerPlatform): StoredRun[] {
  const traces = new Map(platform.traces.list().map(({ name, runId }) => [runId, name]));
  return [...new Set([...traces.keys(), ...platform.runs.list()])]
    .sort()
    .map((runId) => ({ runId, ...defined({ trace: traces.get(runId) }) }));
}

/** Finds the one run that matches a name. Every command that takes a run uses this. */
export function findRun(platform: RunnerPlatform, name: string, runs = listStoredRuns(platform)): StoredRun {
  const matches = matchRuns(name, runs);
  if (matches.length === 1) return matches[0]!;
  const listIds = (list: StoredRun[]): string[] => list.map(({ runId }) => runId);
  const suggestions = (matches.length > 0 ? listIds(matches) : findNearest(name, listIds(runs))).slice(-3);
  const problem = matches.length > 1 ? `${JSON.stringify(name)} matches ${matches.length} runs` : `there is no run ${JSON.stringify(name)}`;
  throw createSkillError(64, problem, suggestions[0] ? commandLine(['cleo', 'trace', 'show', suggestions.at(-1)!]) : suggestRuns(runs), {
    run: name,
    ...(suggestions.length > 0 ? { suggestions } : {}),
  });
}

/** Finds the runs that match a name or a pattern; all runs without a name. */
export function findRuns(platform: RunnerPlatform, name: string | undefined, runs = listStoredRuns(platform)): StoredRun[] {
  if (name === undefined) return runs;
  return isGlob(name) ? matchRuns(name, runs) : [findRun(platform, name, runs)];
}

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

/** Suggests to list the runs, or how to start one if there is none. */
export const suggestRuns = (runs: StoredRun[]): string => (runs.length > 0 ? 'cleo trace list' : 'cleo help construct run');
