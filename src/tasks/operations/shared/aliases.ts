import { CleoError } from '#core/errors/error.ts';
import { parseTaskId, type TaskId } from '#core/model/scalars.ts';
import { groupBy, removeDuplicates } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';

/** Ids of other tools have no spaces, and most have a digit or a dash. Other words are typos, and are not looked up. */
export const mayBeAlias = (text: string): boolean =>
  text.length <= 200 && /[\d-]/.test(text) && !/\s/.test(text) && parseTaskId(text) === undefined;

/** Maps the ids of other tools to task ids. An id that several tools use for different tasks has to name its tool: `beads:12`. */
export async function findTasksByAlias(store: ReadStore, names: string[]): Promise<Map<string, TaskId>> {
  const wanted = removeDuplicates(names.filter(mayBeAlias));
  const found = wanted.length > 0 ? await store.tasks.findAliases(wanted) : [];
  const tasks = new Map<string, TaskId>();
  for (const [name, matches] of groupBy(found, (match) => match.name)) {
    const ids = removeDuplicates(matches.map(({ taskId }) => taskId));
    const [taskId] = ids as [TaskId];
    if (ids.length > 1)
      throw new CleoError('E_INVALID_INPUT', {
        problem: `${name} is the id of several tasks: ${matches.map((match) => `${match.taskId} (${match.tool})`).join(', ')}`,
        fix: `cleo show ${taskId}`,
        suggestions: ids,
      });
    tasks.set(name, taskId);
  }
  return tasks;
}
