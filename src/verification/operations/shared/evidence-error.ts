import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { GateName, TaskId } from '#core/model/scalars.ts';
import { type GatePolicy, listOpeningForms, suggestToolEvidence } from '../../rules/gate-policy.ts';
import type { EvidenceFacts } from './evidence-facts.ts';

interface RejectedEvidence {
  taskId: TaskId;
  gate: GateName;
  policy: GatePolicy;
  facts: Pick<EvidenceFacts, 'tools' | 'missingTool'>;
  problem: string;
  /** A tool ran and failed; running it again is no way out. */
  hasToolFailed: boolean;
  details: object;
}

/** Creates the error for evidence that does not open its gate, with the command that leads on: the configured tool, the validator, or
 *  for a project without any tool the way to configure one. */
export async function createEvidenceError(ctx: MutationContext, rejected: RejectedEvidence): Promise<CleoError> {
  const { taskId, gate, policy, facts, problem, hasToolFailed, details } = rejected;
  const evidence = suggestToolEvidence(policy, gate, facts.tools);
  const missingTool = facts.missingTool && describeMissingTool(ctx, taskId, gate, facts.missingTool);
  let fix = ctx.commandAs(['verify', taskId]);
  if (missingTool) fix = (await ctx.mayHaveScope('admin')) ? missingTool.configure : missingTool.block;
  else if (evidence && !hasToolFailed) fix = ctx.commandWith({ evidence });
  else if (gate === 'qaPassed') fix = ctx.commandAs(['validator', 'pull', taskId]);
  return new CleoError('E_GATE_UPDATE_FAILED', {
    taskId,
    gate,
    problem,
    fix,
    forms: listOpeningForms(policy, gate),
    ...details,
    ...(missingTool ? { missingTool } : {}),
  });
}

/** Suggests the test command that the files of the project show. */
function describeMissingTool(
  { commandAs }: MutationContext,
  taskId: TaskId,
  gate: GateName,
  { configure, test }: NonNullable<EvidenceFacts['missingTool']>,
): { configure: string; block: string } {
  const reason = `${gate} needs verification.tools.test${test ? `, for example ${test}` : ''}`;
  return { configure, block: commandAs(['update', taskId, '--blocked-by', reason]) };
}
