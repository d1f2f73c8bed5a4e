import type { TaskId } from '#core/model/scalars.ts';
import { groupBy } from '#lib/collections.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { StoredPosition } from './import-draft.ts';

/** Chooses the tasks that can be archived: those whose open children are archived with them. */
export function selectPrunable(goneIds: TaskId[], tasks: Map<TaskId, StoredPosition>): { prunable: TaskId[]; kept: TaskId[] } {
  const children = groupBy([...tasks.keys()], (id) => tasks.get(id)?.parentId);
  const candidates = new Set(goneIds);
  const isOpen = (id: TaskId): boolean => tasks.get(id)?.status !== 'done' && !candidates.has(id);
  // Removing one candidate can rule out its parent, so the walk goes up from each task that stays open.
  for (const id of goneIds)
    if ((children.get(id) ?? []).some(isOpen))
      for (let up: TaskId | undefined = id; up !== undefined; up = tasks.get(up)?.parentId)
        if (tasks.get(up)?.status !== 'done' || up === id) candidates.delete(up);
  return { prunable: goneIds.filter((id) => candidates.has(id)), kept: goneIds.filter((id) => !candidates.has(id)) };
}

/** An open task that is gone from its tool was given up there. */
export function archiveRecord(before: TaskRecord, now: string): TaskRecord {
  const { blockedBy: _, ...rest } = before;
  return {
    ...rest,
    status: 'done',
    resolution: before.status === 'done' ? (before.resolution ?? 'done') : 'cancelled',
    completedAt: before.completedAt ?? now,
    archivedAt: before.archivedAt ?? now,
  };
}
