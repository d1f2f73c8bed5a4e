import { commandLine } from '#core/errors/quote.ts';
import type { Ground } from '#platform/ground-port.ts';
import { skillRefusal } from '../errors/skill.ts';
import type { RunRecord } from '../model/trace.ts';
import { eventsIn } from '../rules/trace.ts';
import { verifyTrace } from '../rules/trace-verify.ts';
import { aloneWith } from './alone.ts';
import { isLive, recordOf } from './kept-runs.ts';
import type { RunRequest } from './run-state.ts';

type Entry = RunRecord['executions'][number];

/** Begins with what was done of a run by now: others may have gone on with it while this one waited. */
export const goneOnWith = <T>(ground: Ground, request: RunRequest, runId: string, begin: (request: RunRequest) => T): Promise<T> =>
  aloneWith(ground, runId, () => {
    checkEnded(ground, runId);
    const record = recordOf(ground, runId);
    if (!record || !request.resume) throw skillRefusal(64, `${runId} is no longer there`, 'cleo trace list', { run: runId });
    checkSound(ground, record);
    const { started_at, status, lines } = record;
    return begin({ ...request, resume: { ...request.resume, started_at, status, lines, executions: doneBy(ground, record) } });
  });

export function checkEnded(ground: Ground, runId: string): void {
  const record = recordOf(ground, runId);
  if (record && record.pid !== ground.process().pid && isLive(ground, record))
    throw skillRefusal(75, `${runId} is still under way (process ${record.pid})`, 'cleo trace list', { run: runId });
}

/** What is done is taken from the trace, and its end is vouched for anew: one that was changed would be believed for good. */
function checkSound(ground: Ground, record: RunRecord): void {
  const { run_id: run, trace } = record;
  const read = trace ? ground.traces.read(trace) : undefined;
  const bad = read && verifyTrace(read, ground.hash, record).broken;
  if (bad)
    throw skillRefusal(
      65,
      `the trace of ${run} is not what it wrote: line ${bad.line} ${bad.problem}`,
      commandLine(['cleo', 'trace', 'repair', run]),
      {
        ...{ run, line: bad.line },
      },
    );
}

/** What a run has done, by its record and by its trace: it may have been killed between the two. */
function doneBy(ground: Ground, record: RunRecord): Entry[] {
  const text = record.trace ? ground.traces.read(record.trace)?.text : undefined;
  const told = eventsIn(text ?? '').lines.flatMap(({ line }) => (line.event === 'execution_complete' ? entryIn(line.data.checkpoint) : []));
  const entries = new Map(record.executions.flatMap(entryIn).map((one) => [one.execution_id, one]));
  for (const one of told) {
    // In the order in which they ended.
    entries.delete(one.execution_id);
    entries.set(one.execution_id, one);
  }
  return [...entries.values()];
}

/** Read with doubt: traces and records are files like any others. */
function entryIn(value: unknown): Entry[] {
  const one = value as Entry | null | undefined;
  const isEntry =
    typeof one?.execution_id === 'string' &&
    [one.phase, one.skill, one.status, one.skill_sha256, one.inputs_sha256].every((text) => typeof text === 'string') &&
    Array.isArray(one.outputs) &&
    one.outputs.every((output: Partial<Entry['outputs'][number]> | null) => {
      return typeof output?.path === 'string' && typeof output.sha256 === 'string' && Array.isArray(output.shared_with ?? []);
    }) &&
    Number.isInteger(one.attempts);
  return isEntry ? [one] : [];
}
