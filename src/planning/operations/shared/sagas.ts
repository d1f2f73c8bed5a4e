import { description, number, pipe, strictObject } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { SubtreeCount } from '#store/port/tasks.ts';
import { type TaskHit, TaskHitSchema } from '#tasks/model/task.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';
import type { Progress, StatusCount } from '../../rules/progress.ts';

export const SagaId = pipe(TaskIdSchema, description('The saga'));
export const sagaAliases = { saga: 'sagaId' };

export const ContainerView = strictObject({ ...TaskHitSchema.entries, done: number(), total: number(), percent: number() });

export async function requireSaga(store: ReadStore, id: TaskId): Promise<TaskHit> {
  const saga = await store.tasks.getHit(id);
  if (!saga) throw await createNotFoundError(store, id);
  if (saga.type !== 'saga')
    throw new CleoError('E_VALIDATION', { field: 'sagaId', problem: `must be a saga; ${id} has type ${saga.type}`, fix: 'cleo saga list' });
  return saga;
}

export function groupByRoot(counts: SubtreeCount[]): (root: TaskId) => StatusCount[] {
  const byRoot = new Map<TaskId, StatusCount[]>();
  for (const { root, ...count } of counts) addToList(byRoot, root, count);
  return (root) => byRoot.get(root) ?? [];
}

export const toContainerView = (hit: TaskHit, { done, total, percent }: Progress) => ({ ...hit, done, total, percent });
