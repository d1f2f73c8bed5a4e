import { CleoError } from '#core/errors/error.ts';
import { seqOf, type TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import type { TaskRecord } from '../../model/task.ts';

/** The task, or the refusal that leads to the ids nearest to it. */
export async function requireTask(store: ReadStore, id: TaskId): Promise<TaskRecord> {
  const task = await store.tasks.get(id);
  if (task) return task;
  throw await notFound(store, id);
}

/** A digit too many is the likeliest slip, so ids with the same beginning come first; else the ids next to it. */
export async function notFound(store: ReadStore, id: TaskId): Promise<CleoError> {
  for (let prefix = String(seqOf(id)); prefix; prefix = prefix.slice(0, -1)) {
    const near = await store.tasks.byIdPrefix(prefix, { archived: 'both' }, { limit: 3, offset: 0 });
    if (near.length > 0) return new CleoError('E_NOT_FOUND', { id, prefix, near: near.map((hit) => hit.id) });
  }
  const near = await store.tasks.neighbours(id);
  return new CleoError('E_NOT_FOUND', { id, near, ...(near[0] ? { prefix: String(seqOf(near[0])) } : {}) });
}
