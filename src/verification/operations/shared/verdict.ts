import { description, optional, pipe, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { MutationContext } from '#core/define.ts';
import type { ErrorCode } from '#core/errors/catalog.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import type { GateAttempt, RoundState, ValidatorVerdict } from '../../model/verification.ts';
import { checkGateOrder, checkIndependent } from '../../rules/gates.ts';
import { recordAttempt, requireVerifiable, resolveAgent, type VerificationState } from './verification.ts';

/** Errors of both verdicts. */
export const verdictErrors = [
  'E_NOT_FOUND',
  'E_TASK_NOT_IN_SCOPE',
  'E_VERIFICATION_INIT_FAILED',
  'E_VERIFICATION_LOCKED',
  'E_INVALID_AGENT',
  'E_CIRCULAR_VALIDATION',
  'E_GATE_DEPENDENCY',
] satisfies ErrorCode[];

export const ValidatorAgent = optional(pipe(string(), description('Agent that judges; default: you')));

/** Checks that the agent may judge the task now. A round has one verdict; `isRepeated` says that it is this one. */
export async function prepareVerdict(
  ctx: MutationContext,
  { taskId, agent }: { taskId: TaskId; agent?: string | undefined },
  verdict: ValidatorVerdict['verdict'],
): Promise<{ by: string; state: VerificationState; isRepeated: boolean }> {
  const { store, caller, commandWith } = ctx;
  const by = await resolveAgent(store, ctx, agent, commandWith({ agent: undefined }));
  await checkScope(ctx, taskId);
  const state = await requireVerifiable(store, taskId);
  checkIndependent(taskId, await store.gates.listWorkers(taskId), by, caller.agent);
  const existing = state.rounds.verdict;
  const isAttested = existing?.verdict === 'attested';
  if (isAttested && (verdict !== 'attested' || existing.by !== by))
    throw new CleoError('E_VERIFICATION_LOCKED', {
      taskId,
      problem: `was attested by ${existing.by}; a round has one verdict`,
      fix: `cleo verify ${taskId}`,
    });
  // A rejection needs only the gates before testsPassed, so that there is work to judge.
  if (!isAttested) checkGateOrder(taskId, state.held, verdict === 'attested' ? 'qaPassed' : 'testsPassed');
  return { by, state, isRepeated: isAttested };
}

/** Stores the verdict as an attempt at the last gate and as the verdict of the round. */
export async function recordVerdict<V extends ValidatorVerdict>(
  { store }: MutationContext,
  state: VerificationState,
  verdict: V,
  rounds: RoundState,
): Promise<{ taskId: TaskId } & V> {
  const { by, at, verdict: passed, reason } = verdict;
  const evidence: GateAttempt['evidence'] = [{ kind: 'verdict', verdict: passed, ...defined({ reason }) }];
  const attempt: GateAttempt = { gate: 'qaPassed', round: state.rounds.round, passed: passed === 'attested', evidence, by, at };
  await recordAttempt(store, state, attempt, { ...rounds, verdict });
  return { taskId: state.task.id, ...verdict };
}
