import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';

/** A record that was imported from a source: its task, and what was imported last. Without a base it is known by its alias only, from
 *  an export of another machine; without `current` its task was deleted. */
export interface KnownImport {
  taskId: TaskId;
  base?: string;
  current?: { type: TaskType; status: Status; parentId?: TaskId; archivedAt?: string; revision: number; updatedAt: string };
}
