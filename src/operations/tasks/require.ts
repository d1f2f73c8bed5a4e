import { CleoError } from '../../errors/error.ts';
import { seqOf, type TaskId, taskId } from '../../model/scalars.ts';
import type { TaskRecord } from '../../model/task.ts';
import type { ReadStore } from '../../store/port.ts';

/** The task, or the refusal that leads to the ids nearest to it. */
export async function requireTask(store: ReadStore, id: TaskId): Promise<TaskRecord> {
  const task = await store.tasks.get(id);
  if (task) return task;
  throw await notFound(store, id);
}

export async function notFound(store: ReadStore, id: TaskId): Promise<CleoError> {
  const seq = seqOf(id);
  for (let prefix = String(seq); prefix; prefix = prefix.slice(0, -1)) {
    const near = await store.tasks.byIdPrefix(prefix, {}, { limit: 3, offset: 0 });
    if (near.length > 0) return new CleoError('E_NOT_FOUND', { id, prefix, near: near.map((hit) => hit.id) });
  }
  const neighbours = await store.tasks.missing([taskId(Math.max(1, seq - 1)), taskId(seq + 1)]);
  const near = [taskId(Math.max(1, seq - 1)), taskId(seq + 1)].filter((candidate) => !neighbours.includes(candidate) && candidate !== id);
  return new CleoError('E_NOT_FOUND', { id, near });
}
