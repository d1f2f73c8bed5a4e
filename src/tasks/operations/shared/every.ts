import type { TaskId } from '#core/model/scalars.ts';
import type { Ancestor, ReadStore, StoredRelation } from '#store/port.ts';
import type { Relation, Task } from '../../model/task.ts';
import { wholeTask } from '../../rules/view.ts';

/** Every task as `show` prints it, in id order. */
export async function everyTask(store: ReadStore): Promise<Task[]> {
  const kin = await store.tasks.kin();
  const byId = new Map(kin.map((one) => [one.id, one]));
  const children = new Map<TaskId, Ancestor[]>();
  for (const one of kin) if (one.parentId) children.set(one.parentId, [...(children.get(one.parentId) ?? []), one]);
  const relations = bothSides(await store.tasks.allRelations());
  const tasks: Task[] = [];
  for (let last: TaskId | undefined; ; ) {
    const page = await store.tasks.allAfter(last, 500);
    if (page.length === 0) return tasks;
    const notes = await store.tasks.notes(page.map((task) => task.id));
    for (const task of page)
      tasks.push(
        wholeTask(task, {
          ancestry: chain(byId, task.id),
          children: children.get(task.id) ?? [],
          notes: notes.get(task.id) ?? [],
          relations: relations.get(task.id) ?? [],
        }),
      );
    last = page.at(-1)?.id;
  }
}

function chain(byId: Map<TaskId, Ancestor>, id: TaskId): Ancestor[] {
  const found: Ancestor[] = [];
  for (let one = byId.get(id); one && found.length < 10; one = one.parentId ? byId.get(one.parentId) : undefined) found.push(one);
  return found;
}

function bothSides(stored: StoredRelation[]): Map<TaskId, Relation[]> {
  const byTask = new Map<TaskId, Relation[]>();
  const add = (id: TaskId, relation: Relation): void => {
    byTask.set(id, [...(byTask.get(id) ?? []), relation]);
  };
  for (const { from, to, type, reason } of stored) {
    add(from, { taskId: to, type, reason, direction: 'to' });
    add(to, { taskId: from, type, reason, direction: 'from' });
  }
  return byTask;
}
