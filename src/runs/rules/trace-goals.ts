import { isPlainObject } from '#lib/collections.ts';
import type { SkillEvidence } from '../model/execution.ts';
import type { TraceLine } from '../model/trace.ts';
import { asText } from './trace-facts.ts';

/** An execution whose goal can be judged from the trace. */
interface JudgeableExecution {
  executionId: string;
  phase: string;
  skill: string;
  goal: string;
  evidence: SkillEvidence[];
  artifacts: { path: string; checksum: string }[];
}

/** Lists the executions that ended successfully and have a goal: their own statement, or else the intent of the run. The last end of an
 *  execution counts. Field types are not trusted, because another program may have written the trace. */
export function listJudgeable(lines: TraceLine[], intent: string | null): JudgeableExecution[] {
  const found = new Map<string, JudgeableExecution>();
  for (const { event, data, execution_id: id, phase = '', skill = '' } of lines) {
    if (event !== 'execution_complete' || id === undefined) continue;
    found.delete(id);
    const goal = asText(data.goal_statement) ?? intent ?? undefined;
    if (goal === undefined || data.status !== 'success' || data.skipped === true) continue;
    const summary = isPlainObject(data.outputs_summary) ? data.outputs_summary : {};
    found.set(id, {
      executionId: id,
      phase,
      skill,
      goal,
      evidence: asList(data.evidence).flatMap(readEvidence),
      artifacts: asList(summary.artifacts).flatMap(readArtifact),
    });
  }
  return [...found.values()];
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function readEvidence(value: unknown): SkillEvidence[] {
  if (!isPlainObject(value) || typeof value.description !== 'string') return [];
  return [{ type: asText(value.type) ?? 'note', description: value.description, reference: asText(value.reference) ?? null }];
}

const readArtifact = (value: unknown): { path: string; checksum: string }[] =>
  isPlainObject(value) && typeof value.path === 'string' && typeof value.checksum === 'string'
    ? [{ path: value.path, checksum: value.checksum }]
    : [];
