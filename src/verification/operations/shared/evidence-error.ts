import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { GateName, TaskId } from '#core/model/scalars.ts';
import { suggestTestTool } from '#detect/operations/shared/suggest-test-tool.ts';
import { type GatePolicy, listOpeningForms, needsTool, suggestToolEvidence } from '../../rules/gate-policy.ts';
import { type EvidenceContext, listVerificationTools } from './examine-evidence.ts';

interface RejectedEvidence extends EvidenceContext {
  taskId: TaskId;
  gate: GateName;
  policy: GatePolicy;
  problem: string;
  /** A tool ran and failed; running it again is no way out. */
  hasToolFailed: boolean;
  details: object;
}

/** Creates the error for evidence that does not open its gate, with the command that leads on: the configured tool, the validator, or
 *  for a project without any tool the way to configure one. */
export async function createEvidenceError(ctx: JobContext, rejected: RejectedEvidence): Promise<CleoError> {
  const { taskId, gate, policy, problem, hasToolFailed, details } = rejected;
  const evidence = suggestToolEvidence(policy, gate, listVerificationTools(rejected));
  const missingTool = needsTool(policy, gate) && !evidence ? await suggestTool(ctx, taskId, gate) : undefined;
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
async function suggestTool(
  { project, commandAs }: JobContext,
  taskId: TaskId,
  gate: GateName,
): Promise<{ configure: string; block: string }> {
  const { configure, test } = await suggestTestTool(project.root);
  const reason = `${gate} needs verification.tools.test${test ? `, for example ${test}` : ''}`;
  return { configure, block: commandAs(['update', taskId, '--blocked-by', reason]) };
}
