import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore, WriteStore } from '#store/port.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { citedIn } from '../../rules/memory-cites.ts';

/** Tasks are written without a thought of memory, so they are looked through when it matters. */
export async function citeTasks(store: WriteStore, id: string): Promise<void> {
  for (const [taskId, cited] of await citedInTasks(store, await store.memory.tasksSaying(id)))
    if (cited.includes(id)) await store.memory.cite('task', taskId, cited);
}

/** What these tasks cite as they are now. */
export async function citedInTasks(store: ReadStore, ids: TaskId[]): Promise<Map<TaskId, string[]>> {
  const notes = await store.tasks.notes(ids);
  const textOf = ({ id, title, description, acceptance }: TaskRecord): string =>
    [title, description ?? '', ...acceptance.map(({ text }) => text ?? ''), ...(notes.get(id) ?? []).map(({ text }) => text)].join('\n');
  return new Map((await store.tasks.many(ids)).map((task) => [task.id, citedIn(textOf(task))]));
}
