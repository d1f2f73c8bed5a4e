import { commandLine } from '#core/errors/catalog.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError } from '../errors/skill.ts';
import type { RunRecord } from '../model/trace.ts';
import { parseEvents } from '../rules/trace.ts';
import { verifyTrace } from '../rules/trace-verify.ts';
import { openRun, type RunContext, type RunRequest, type RunSetup } from './run-context.ts';
import { withRunLock } from './run-lock.ts';
import { isRunLive, readRunRecord } from './stored-runs.ts';

type Checkpoint = RunRecord['executions'][number];

/** Opens a run again. Its record is read under the lock of the run, because another process may have resumed it since the request was
 *  made. */
export function resumeRun(platform: RunnerPlatform, request: RunRequest, setup: RunSetup): Promise<RunContext> {
  const { run_id: runId } = request.resume!;
  return withRunLock(platform, runId, () => {
    checkNotActive(platform, runId);
    const record = readRunRecord(platform, runId);
    if (!record) throw createSkillError(64, `${runId} no longer exists`, 'cleo trace list', { run: runId });
    checkTrace(platform, record);
    const { started_at, status, lines } = record;
    const resume = { ...request.resume!, started_at, status, lines, executions: readCheckpoints(platform, record) };
    return openRun(platform, runId, { ...request, resume }, setup);
  });
}

export function checkNotActive(platform: RunnerPlatform, runId: string): void {
  const record = readRunRecord(platform, runId);
  if (record && record.pid !== platform.identifyProcess().pid && isRunLive(platform, record))
    throw createSkillError(75, `${runId} is still active (process ${record.pid})`, 'cleo trace list', { run: runId });
}

/** Refuses a modified trace. The resumed run trusts its checkpoints and continues its hash chain, which would hide the change. */
function checkTrace(platform: RunnerPlatform, record: RunRecord): void {
  const { run_id: run, trace } = record;
  const file = trace ? platform.traces.read(trace) : undefined;
  const broken = file && verifyTrace(file, platform.hash, record).broken;
  if (!broken) return;
  const problem = `the trace of ${run} was modified: line ${broken.line} ${broken.problem}`;
  throw createSkillError(65, problem, commandLine(['cleo', 'trace', 'repair', run]), { run, line: broken.line });
}

/** Merges the checkpoints of record and trace: the run may have been killed after it wrote one and before it wrote the other. */
function readCheckpoints(platform: RunnerPlatform, record: RunRecord): Checkpoint[] {
  const text = record.trace ? platform.traces.read(record.trace)?.text : undefined;
  const traced = parseEvents(text ?? '').lines.flatMap(({ line }) => (line.event === 'execution_complete' ? [line.data.checkpoint] : []));
  const checkpoints = new Map(record.executions.filter(isCheckpoint).map((one) => [one.execution_id, one]));
  for (const checkpoint of traced.filter(isCheckpoint)) {
    // Deleted first, so that the map is in the order of completion.
    checkpoints.delete(checkpoint.execution_id);
    checkpoints.set(checkpoint.execution_id, checkpoint);
  }
  return [...checkpoints.values()];
}

/** Validates a value from a file, which may be damaged. */
function isCheckpoint(value: unknown): value is Checkpoint {
  const checkpoint = value as Checkpoint | null | undefined;
  return (
    typeof checkpoint?.execution_id === 'string' &&
    [checkpoint.phase, checkpoint.skill, checkpoint.status, checkpoint.skill_sha256, checkpoint.inputs_sha256].every(
      (text) => typeof text === 'string',
    ) &&
    Array.isArray(checkpoint.outputs) &&
    checkpoint.outputs.every((output: Partial<Checkpoint['outputs'][number]> | null) => {
      return typeof output?.path === 'string' && typeof output.sha256 === 'string' && Array.isArray(output.shared_with ?? []);
    }) &&
    Number.isInteger(checkpoint.attempts)
  );
}
