import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';

/** Runs `work` for each task, those that another one of the list waits for first. A task waits for its open dependencies and children. */
export async function completeInOrder(store: ReadStore, ids: TaskId[], work: (id: TaskId) => Promise<void>): Promise<void> {
  const remaining = new Set(ids);
  while (remaining.size > 0) {
    let next: TaskId | undefined;
    for (const id of remaining) {
      const first = [...(await store.tasks.listOpenDependencies(id)), ...(await store.tasks.listOpenChildIds([id])).map(({ to }) => to)];
      if (first.some((one) => one !== id && remaining.has(one))) continue;
      next = id;
      break;
    }
    // Tasks that wait for each other fail with the reason.
    next ??= [...remaining][0]!;
    remaining.delete(next);
    await work(next);
  }
}

/** Sorts tasks so that none comes after its parent, or none before it. Missing tasks keep their place. */
export async function sortByDepth(store: ReadStore, ids: TaskId[], order: 'parents first' | 'children first'): Promise<TaskId[]> {
  const depths = new Map<TaskId, number>();
  for (const id of ids) depths.set(id, (await store.tasks.getAncestry(id)).length);
  const sign = order === 'parents first' ? 1 : -1;
  return ids.toSorted((a, b) => sign * (depths.get(a)! - depths.get(b)!));
}
