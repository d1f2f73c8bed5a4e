import { createRedactor, listSecretValues } from '#lib/redactor.ts';
import type { RunnerPlatform, TraceSubject } from '#platform/runner/port.ts';
import type { TraceEvent, TraceLine } from '../model/trace.ts';
import { parseEvents } from '../rules/trace.ts';
import { verifyTrace } from '../rules/trace-verify.ts';
import { withRunLock } from './run-lock.ts';
import { isRunLive, listStoredRuns, readRunRecord } from './stored-runs.ts';

/** An event to append to the trace of a finished run. */
export interface TraceAddition {
  /** Default: the event of the call. */
  event?: TraceEvent;
  data: Record<string, unknown>;
  subject: TraceSubject;
}

/** Appends the events that `select` returns for the lines of a trace. Returns the reason if nothing can be appended: an active run writes
 *  its own trace, and appending to a modified trace would hide the change behind a new head hash. */
export async function appendToTrace(
  platform: RunnerPlatform,
  runId: string,
  event: TraceEvent,
  select: (lines: TraceLine[]) => TraceAddition[],
): Promise<string | undefined> {
  const trace = platform.runs.list().includes(runId) ? listStoredRuns(platform).find((run) => run.runId === runId)?.trace : undefined;
  const selectFrom = (text: string): TraceAddition[] => select(parseEvents(text).lines.map(({ line }) => line));
  // In most cases there is nothing to append, and no lock is needed.
  if (trace && selectFrom(platform.traces.read(trace)?.text ?? '').length === 0) return undefined;
  return withRunLock(platform, runId, () => {
    const record = readRunRecord(platform, runId);
    const file = trace ? platform.traces.read(trace) : undefined;
    if (!trace || !record || !file) return `the trace of ${runId} no longer exists; nothing was appended`;
    if (isRunLive(platform, record)) return `${runId} is still active; its trace is updated when it has ended`;
    const { broken } = verifyTrace(file, platform.hash, record);
    if (broken) return `nothing was appended to the trace of ${runId}: line ${broken.line} ${broken.problem}`;
    const additions = selectFrom(file.text);
    if (additions.length > 0) appendEvents(platform, runId, trace, event, additions);
    return undefined;
  });
}

function appendEvents(platform: RunnerPlatform, runId: string, name: string, event: TraceEvent, additions: TraceAddition[]): void {
  const secrets = listSecretValues(platform.env, {}, platform.isPlainVariable);
  const trace = platform.openTrace(runId, name, createRedactor({ secrets, patterns: [], allow: [], mac: platform.hmac }));
  try {
    for (const addition of additions) trace.write(addition.event ?? event, addition.data, addition.subject);
  } finally {
    trace.close();
  }
  // Unknown fields of the record are preserved.
  const record = JSON.parse(platform.runs.read(runId, 'run.json')!) as object;
  platform.runs.write(runId, 'run.json', `${JSON.stringify({ ...record, head: trace.head(), lines: trace.lines() })}\n`);
}
