import type { TaskId } from '#core/model/scalars.ts';
import { addToList, removeDuplicates } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { Dependent } from '#store/port/tasks.ts';

/** Lists the tasks that depend on each of these, with the place of the dependency in their lists, so that a restore can put it back. */
export async function listDependentsByTask({ tasks }: Pick<ReadStore, 'tasks'>, ids: TaskId[]): Promise<Map<TaskId, Dependent[]>> {
  const edges = await tasks.listDependentIds(ids);
  const dependents = await tasks.getMany(removeDuplicates(edges.map(({ to }) => to)));
  const depends = new Map(dependents.map((task) => [task.id, task.depends]));
  const byTask = new Map<TaskId, Dependent[]>();
  for (const { from, to } of edges) addToList(byTask, from, { id: to, position: depends.get(to)?.indexOf(from) ?? 0 });
  return byTask;
}
