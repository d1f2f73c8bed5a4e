import type { TaskId } from '#core/model/scalars.ts';
import { addToList, groupBy } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { Ancestor, StoredRelation } from '#store/port/tasks.ts';
import type { Relation, Task } from '../../model/task.ts';
import { toTask } from '../../rules/view.ts';

/** Lists all tasks, archived ones included, as `show` prints them, sorted by id. */
export async function listAllTasks(store: ReadStore): Promise<Task[]> {
  const hierarchy = await store.tasks.listHierarchy();
  const byId = new Map(hierarchy.map((task) => [task.id, task]));
  const children = groupBy(hierarchy, ({ parentId }) => parentId);
  const relations = groupByTask(await store.tasks.listAllRelations());
  const tasks: Task[] = [];
  for (let last: TaskId | undefined; ; ) {
    const page = await store.tasks.listAllAfter(last, 500);
    if (page.length === 0) return tasks;
    const notes = await store.tasks.getNotes(page.map((task) => task.id));
    for (const task of page)
      tasks.push(
        toTask(task, {
          ancestry: getAncestry(byId, task.id),
          children: children.get(task.id) ?? [],
          notes: notes.get(task.id) ?? [],
          relations: relations.get(task.id) ?? [],
        }),
      );
    last = page.at(-1)?.id;
  }
}

/** The hierarchy has four tiers; the limit only guards against a cycle in a damaged store. */
const maxDepth = 10;

function getAncestry(byId: Map<TaskId, Ancestor>, id: TaskId): Ancestor[] {
  const ancestry: Ancestor[] = [];
  for (let at = byId.get(id); at && ancestry.length < maxDepth; at = at.parentId ? byId.get(at.parentId) : undefined) ancestry.push(at);
  return ancestry;
}

function groupByTask(stored: StoredRelation[]): Map<TaskId, Relation[]> {
  const byTask = new Map<TaskId, Relation[]>();
  for (const { from, to, type, reason } of stored) {
    addToList(byTask, from, { taskId: to, type, reason, direction: 'to' });
    addToList(byTask, to, { taskId: from, type, reason, direction: 'from' });
  }
  return byTask;
}
