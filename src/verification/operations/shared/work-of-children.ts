import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';

const maxChanges = 10_000;

/** Checks whether a task contains work that stands for its own: a child that was completed below it. A cancelled child is no work, and one
 *  that was moved here after it was done was the work of another task. */
export async function hasWorkOfChildren({ tasks }: ReadStore, children: { id: TaskId }[]): Promise<boolean> {
  for (const { id } of children) {
    const child = await tasks.get(id);
    const completedAt = child?.completedAt;
    if (!completedAt || (child.resolution ?? 'done') !== 'done') continue;
    const changes = await tasks.listHistory(id, { limit: maxChanges, offset: 0 });
    const moved = changes.findLast(({ field }) => field === 'parentId');
    if (!moved || moved.at <= completedAt) return true;
  }
  return false;
}
