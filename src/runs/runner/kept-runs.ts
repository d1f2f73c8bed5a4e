import { commandLine } from '#core/errors/quote.ts';
import { globMatcher, isGlob } from '#lib/glob.ts';
import { nearest } from '#lib/nearest.ts';
import type { Ground } from '#platform/ground-port.ts';
import { skillRefusal } from '../errors/skill.ts';
import type { RunRecord } from '../model/trace.ts';
import { eventsIn } from '../rules/trace.ts';
import { type RunView, readRecord, runView } from '../rules/trace-runs.ts';

/** A run that left something behind: a folder, a trace, or both. */
export interface KeptRun {
  runId: string;
  /** The name of its trace, where there is one. */
  trace?: string;
}

/** The oldest first: their names begin with the time. */
export function keptRuns(ground: Ground): KeptRun[] {
  const traces = new Map(ground.traces.list().map(({ name, runId }) => [runId, name]));
  return [...new Set([...traces.keys(), ...ground.runs.list()])].sort().map((runId) => {
    const trace = traces.get(runId);
    return { runId, ...(trace ? { trace } : {}) };
  });
}

/** The run that is meant: by its id, the beginning or the end of it, or the name of its trace. */
export function findRun(ground: Ground, asked: string): KeptRun {
  const all = keptRuns(ground);
  const exact = all.find(({ runId, trace }) => asked === runId || asked === trace);
  if (exact) return exact;
  // What every id begins with, or nothing at all, is the name of none.
  const like = 'run-'.startsWith(asked) ? [] : all.filter(({ runId }) => runId.startsWith(asked) || runId.endsWith(asked));
  if (like.length === 1) return like[0]!;
  const near = (
    like.length > 0
      ? like.map(({ runId }) => runId)
      : nearest(
          asked,
          all.map(({ runId }) => runId),
        )
  ).slice(-3);
  const problem = like.length > 1 ? `${JSON.stringify(asked)} names ${like.length} runs` : `there is no run ${JSON.stringify(asked)}`;
  throw skillRefusal(64, problem, near[0] ? commandLine(['cleo', 'trace', 'show', near.at(-1)!]) : 'cleo trace list', {
    run: asked,
    ...(near.length > 0 ? { near } : {}),
  });
}

/** The runs that a name or a pattern means, of their ids or of the names of their traces; all of them where nobody says. */
export function matchingRuns(ground: Ground, asked: string | undefined): KeptRun[] {
  if (asked === undefined) return keptRuns(ground);
  if (!isGlob(asked)) return [findRun(ground, asked)];
  const isMeant = globMatcher(asked);
  return keptRuns(ground).filter(({ runId, trace }) => isMeant(runId) || (trace !== undefined && isMeant(trace)));
}

export const recordOf = (ground: Ground, runId: string): RunRecord | undefined => readRecord(ground.runs.read(runId, 'run.json'));

export const isLive = (ground: Ground, record: RunRecord | undefined): boolean => record?.status === 'running' && ground.isAlive(record);

/** How a run stands. Its trace is read only where its record does not tell. */
export function viewOf(ground: Ground, { runId, trace }: KeptRun): RunView {
  const record = recordOf(ground, runId);
  const isOpen = record === undefined || record.status === 'running';
  const isAlive = isLive(ground, record);
  const ended = isOpen && !isAlive && trace ? endOf(ground.traces.read(trace)?.text ?? '') : undefined;
  return runView({ runId, trace, record, isAlive, ended });
}

/** How a trace says its run ended, unless it went on after that. */
function endOf(text: string): { status: string; exitCode: number | null; at: string } | undefined {
  const last = eventsIn(text).lines.findLast(({ line }) => line.event === 'run_completed' || line.event === 'run_resumed')?.line;
  if (last?.event !== 'run_completed') return undefined;
  const { status, exit_code: code } = last.data;
  return { status: String(status), exitCode: typeof code === 'number' ? code : null, at: last.ts };
}
