import { description, number, pipe, strictObject } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import { type TaskHit, TaskHitSchema } from '#tasks/model/task.ts';
import { findListCommand } from '#tasks/operations/shared/list-command.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';

export const SagaId = pipe(TaskIdSchema, description('The saga'));
export const sagaAliases = { saga: 'sagaId' };

export const ContainerView = strictObject({ ...TaskHitSchema.entries, done: number(), total: number(), percent: number() });

export async function requireSaga(store: ReadStore, id: TaskId): Promise<TaskHit> {
  const saga = await store.tasks.getHit(id);
  if (!saga) throw await createNotFoundError(store, id);
  if (saga.type !== 'saga')
    throw new CleoError('E_VALIDATION', {
      field: 'sagaId',
      problem: `must be a saga; ${id} has type ${saga.type}`,
      fix: await findListCommand(store, 'saga'),
    });
  return saga;
}
