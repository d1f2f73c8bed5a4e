import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskRecord } from '../../model/task.ts';
import { getTitleWords } from '../../rules/relate.ts';
import { requireTask } from './require.ts';

/** Limits of the candidates to compare: those that share labels, files or links, and those found by a word. */
const maxSharing = 200;
const maxPerWord = 50;
const maxWords = 12;

/** Returns the task and the tasks that may be related to it, without those that already are. */
export async function findRelatedCandidates(
  store: ReadStore,
  id: TaskId,
  titleOnly: boolean,
): Promise<{ task: TaskRecord; candidates: TaskRecord[] }> {
  const task = await requireTask(store, id);
  const ids = new Set(await store.tasks.findOverlapping(id, maxSharing));
  // Long words are the most specific. Each has a search of its own, so that a common word cannot displace a rare one.
  const words = getTitleWords(task).sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  for (const word of words.slice(0, maxWords))
    for (const hit of await store.search.findCandidates([[word]], { prefix: false, titleOnly }, {}, maxPerWord)) ids.add(hit.id);
  for (const relation of await store.tasks.listRelations(id)) ids.delete(relation.taskId);
  return { task, candidates: await store.tasks.getMany([...ids]) };
}
