import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore, WriteStore } from '#store/port/store.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { findCitations } from '../../rules/find-citations.ts';

/** Stores which tasks cite an entry. Tasks do not record citations when they are written, so their text is searched now. */
export async function saveTaskCitations(store: WriteStore, id: string): Promise<void> {
  for (const [taskId, cited] of await findTaskCitations(store, await store.memory.findTasksMentioning(id)))
    if (cited.includes(id)) await store.memory.saveCitations('task', taskId, cited);
}

/** Finds the memory ids in the current text of tasks. */
export async function findTaskCitations(store: ReadStore, ids: TaskId[]): Promise<Map<TaskId, string[]>> {
  const notes = await store.tasks.getNotes(ids);
  const getTaskText = ({ id, title, description, acceptance }: TaskRecord): string =>
    [title, description ?? '', ...acceptance.map(({ text }) => text ?? ''), ...(notes.get(id) ?? []).map(({ text }) => text)].join('\n');
  return new Map((await store.tasks.getMany(ids)).map((task) => [task.id, findCitations(getTaskText(task))]));
}
