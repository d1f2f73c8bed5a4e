import type { MutationContext } from '#core/define.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { Attempt } from '../../model/verification.ts';
import { afterReopening, firstRound, withGates } from '../../rules/gates.ts';

/** Opens a fresh round: no gate of the task holds anything any more. */
export async function beginAnew(
  { store, now, caller }: Pick<MutationContext, 'store' | 'now' | 'caller'>,
  task: TaskRecord,
  attempts: Attempt[],
): Promise<TaskRecord> {
  const rounds = afterReopening((await store.gates.rounds(task.id)) ?? firstRound);
  const evidence = [{ kind: 'reopened' as const }];
  await store.gates.add(task.id, { gate: 'implemented', round: rounds.round, passed: false, evidence, by: caller.agent, at: now });
  await store.gates.keep(task.id, rounds);
  return attempts.length ? store.tasks.save(task, { ...task, acceptance: withGates(task.acceptance, new Map()) }) : task;
}
