import { array, type InferOutput, nullable, number, optional, strictObject, string, unknown } from 'valibot';
import type { Ground } from '#platform/ground-port.ts';
import type { Review } from '../../rules/review-state.ts';
import { recordOf } from '../../runner/kept-runs.ts';

/** What is to be judged, as far as it is kept. */
export const SubjectShape = strictObject({
  status: string(),
  exitCode: number(),
  durationMs: number(),
  artifacts: array(strictObject({ path: string(), sha256: string() })),
  evidence: optional(array(unknown())),
  goalStatement: optional(nullable(string())),
});

export function subjectOf(ground: Ground, { runId, executionId, phase, skill }: Review): InferOutput<typeof SubjectShape> | undefined {
  const execution = recordOf(ground, runId)?.executions.find((one) => one.execution_id === executionId);
  if (!execution || !ground.runs.list().includes(runId)) return undefined;
  const { assessment } = resultOf(ground, runId, `${phase}/${skill}/${Math.max(1, execution.attempts)}/result.json`);
  return {
    ...{ status: execution.status, exitCode: execution.exit_code, durationMs: execution.duration_ms, artifacts: execution.outputs },
    ...(Array.isArray(assessment?.evidence) ? { evidence: assessment.evidence } : {}),
    ...(typeof assessment?.goal_statement === 'string' ? { goalStatement: assessment.goal_statement } : {}),
  };
}

function resultOf(ground: Ground, runId: string, name: string): { assessment?: { evidence?: unknown; goal_statement?: unknown } } {
  // Names of phases and skills come from a file: they lead nowhere else.
  if (/(^|\/)\.\.?(\/|$)/.test(name)) return {};
  try {
    return (JSON.parse(ground.runs.read(runId, name) ?? '{}') as { assessment?: object } | null) ?? {};
  } catch {
    return {};
  }
}
