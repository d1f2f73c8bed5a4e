import { description, optional, pipe, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import type { MutationContext } from '#core/define.ts';
import type { Code } from '#core/errors/catalog.ts';
import type { Gate, TaskId } from '#core/model/scalars.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import type { Attempt, Rounds } from '../../model/verification.ts';
import { checkGateOrder, checkIndependent } from '../../rules/gates.ts';
import { record, type Standing, speaker, verifiable } from './verification.ts';

/** What is refused whatever the verdict. */
export const judgeErrors = [
  'E_NOT_FOUND',
  'E_TASK_NOT_IN_SCOPE',
  'E_VERIFICATION_INIT_FAILED',
  'E_VERIFICATION_LOCKED',
  'E_INVALID_AGENT',
  'E_CIRCULAR_VALIDATION',
  'E_GATE_DEPENDENCY',
] satisfies Code[];

export const Judge = optional(pipe(string(), description('Who judges; you, unless you say otherwise')));

/** Who may judge a task now, and what it judges. A round has one verdict: undefined where it is this very one. */
export async function judgement(
  ctx: MutationContext,
  { taskId, agent, verdict, needs }: { taskId: TaskId; agent: string | undefined; verdict: 'attested' | 'rejected'; needs: Gate },
): Promise<{ by: string; standing: Standing; isRepeated: boolean }> {
  const { store, caller, commandWith } = ctx;
  const by = await speaker(store, ctx, agent, commandWith({ agent: undefined }));
  await checkScope(ctx, taskId);
  const standing = await verifiable(store, taskId);
  checkIndependent(taskId, await store.gates.workers(taskId), by, caller.agent);
  const given = standing.rounds.verdict;
  const isGiven = given?.verdict === 'attested';
  if (isGiven && (verdict !== 'attested' || given.by !== by))
    throw new CleoError('E_VERIFICATION_LOCKED', {
      taskId,
      problem: `was attested by ${given.by}; a round has one verdict`,
      fix: `cleo verify ${taskId}`,
    });
  if (!isGiven) checkGateOrder(taskId, standing.held, needs);
  return { by, standing, isRepeated: isGiven };
}

/** Writes the verdict down as an attempt at the last gate, and as that of the round. */
export async function pass<V extends NonNullable<Rounds['verdict']>>(
  { store }: MutationContext,
  standing: Standing,
  verdict: V,
  rounds: Rounds,
): Promise<{ taskId: TaskId } & V> {
  const { by, at, verdict: passed, reason } = verdict;
  const evidence: Attempt['evidence'] = [{ kind: 'verdict', verdict: passed, ...(reason ? { reason } : {}) }];
  const attempt: Attempt = { gate: 'qaPassed', round: standing.rounds.round, passed: passed === 'attested', evidence, by, at };
  await record(store, standing, attempt, { ...rounds, verdict });
  return { taskId: standing.task.id, ...verdict };
}
