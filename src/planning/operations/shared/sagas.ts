import { description, number, pipe, strictObject } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { TaskId } from '#core/model/scalars.ts';
import type { InsideCount, ReadStore } from '#store/port.ts';
import { TaskHit } from '#tasks/model/task.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import type { Counted, Progress } from '../../rules/progress.ts';

export const SagaId = pipe(TaskId, description('The saga'));
export const sagaNames = { saga: 'sagaId' };

/** A container with how far it is. */
export const Container = strictObject({ ...TaskHit.entries, done: number(), total: number(), percent: number() });

export async function requireSaga(store: ReadStore, id: TaskId): Promise<TaskHit> {
  const saga = await store.tasks.hit(id);
  if (!saga) throw await notFound(store, id);
  if (saga.type !== 'saga')
    throw new CleoError('E_VALIDATION', { field: 'sagaId', problem: `must be a saga; ${id} is a ${saga.type}`, fix: 'cleo saga list' });
  return saga;
}

/** The counts of several roots, each on its own. */
export function perRoot(counts: InsideCount[]): (root: TaskId) => Counted[] {
  const byRoot = new Map<TaskId, Counted[]>();
  for (const { root, ...count } of counts) byRoot.set(root, [...(byRoot.get(root) ?? []), count]);
  return (root) => byRoot.get(root) ?? [];
}

export const withProgress = (hit: TaskHit, { done, total, percent }: Progress) => ({ ...hit, done, total, percent });
