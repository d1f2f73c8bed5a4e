import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import type { TaskRecord } from '../../model/task.ts';
import { titleWords } from '../../rules/relate.ts';
import { requireTask } from './require.ts';

/** So many of each kind are compared: of those that share something, and of those that have a word in common. */
const mostSharing = 200;
const mostPerWord = 50;
const mostWords = 12;

/** The task, and those that may have something in common with it and are not yet related to it. */
export async function kindred(store: ReadStore, id: TaskId, titleOnly: boolean): Promise<{ task: TaskRecord; candidates: TaskRecord[] }> {
  const task = await requireTask(store, id);
  const found = new Set(await store.tasks.sharing(id, mostSharing));
  // Long words tell most. Each is asked for on its own: a rare word must not drown in a common one.
  const words = titleWords(task).sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  for (const word of words.slice(0, mostWords))
    for (const hit of await store.search.candidates([[word]], { prefix: false, titleOnly }, {}, mostPerWord)) found.add(hit.id);
  for (const relation of await store.tasks.relations(id)) found.delete(relation.taskId);
  return { task, candidates: await store.tasks.many([...found]) };
}
