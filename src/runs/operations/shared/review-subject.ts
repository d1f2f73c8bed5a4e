import { array, type InferOutput, nullable, number, optional, strictObject, string, unknown } from 'valibot';
import { parseJson } from '#lib/parse-json.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { Review } from '../../rules/review-state.ts';
import { readRunRecord } from '../../runner/stored-runs.ts';

/** The execution that a review is about, as far as its files still exist. */
export const SubjectShape = strictObject({
  status: string(),
  exitCode: number(),
  durationMs: number(),
  artifacts: array(strictObject({ path: string(), sha256: string() })),
  evidence: optional(array(unknown())),
  goalStatement: optional(nullable(string())),
});

export function describeSubject(
  runner: RunnerPlatform,
  { runId, executionId, phase, skill }: Review,
): InferOutput<typeof SubjectShape> | undefined {
  const execution = readRunRecord(runner, runId)?.executions.find((one) => one.execution_id === executionId);
  if (!execution || !runner.runs.list().includes(runId)) return undefined;
  const { assessment } = readResult(runner, runId, `${phase}/${skill}/${Math.max(1, execution.attempts)}/result.json`);
  return {
    status: execution.status,
    exitCode: execution.exit_code,
    durationMs: execution.duration_ms,
    artifacts: execution.outputs,
    ...(Array.isArray(assessment?.evidence) ? { evidence: assessment.evidence } : {}),
    ...(typeof assessment?.goal_statement === 'string' ? { goalStatement: assessment.goal_statement } : {}),
  };
}

function readResult(
  runner: RunnerPlatform,
  runId: string,
  name: string,
): { assessment?: { evidence?: unknown; goal_statement?: unknown } } {
  // Names of phases and skills come from a file and must not leave the folder.
  if (/(^|\/)\.\.?(\/|$)/.test(name)) return {};
  return (parseJson(runner.runs.read(runId, name)) as { assessment?: object } | null | undefined) ?? {};
}
