import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { commandLine } from '#core/errors/quote.ts';
import type { GateName, TaskId } from '#core/model/scalars.ts';
import { detectProject } from '#detect/rules/detect.ts';
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
  const { scanProject } = await import('#platform/project-scan.ts');
  const testing = detectProject(scanProject(project.root)).testing;
  // A configured tool runs in the project folder. A test command of a subfolder is stored by `init --detect`.
  const configure = testing?.folder
    ? 'cleo init --detect'
    : commandLine(['cleo', 'config', 'set', 'verification.tools.test', testing?.command ?? 'npm test']);
  const reason = `${gate} needs verification.tools.test${testing ? `, for example ${testing.command}` : ''}`;
  return { configure, block: commandAs(['update', taskId, '--blocked-by', reason]) };
}
