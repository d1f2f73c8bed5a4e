import type { MutationContext } from '#core/define.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { GateAttempt } from '../../model/verification.ts';
import { firstRound, resetRounds, updateBoundCriteria } from '../../rules/gates.ts';

/** Starts a new round of a reopened task and clears all its gates. */
export async function resetVerification(
  { store, now, caller }: Pick<MutationContext, 'store' | 'now' | 'caller'>,
  task: TaskRecord,
  attempts: GateAttempt[],
): Promise<TaskRecord> {
  const rounds = resetRounds((await store.gates.getRounds(task.id)) ?? firstRound);
  const evidence = [{ kind: 'reopened' as const }];
  await store.gates.addAttempt(task.id, { gate: 'implemented', round: rounds.round, passed: false, evidence, by: caller.agent, at: now });
  await store.gates.saveRounds(task.id, rounds);
  return attempts.length ? store.tasks.save(task, { ...task, acceptance: updateBoundCriteria(task.acceptance, new Map()) }) : task;
}
