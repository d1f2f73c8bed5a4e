import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Task } from './task.ts';

/** The fields of an open task that waves and `next` decide by. */
export type OpenTask = Pick<Task, 'id' | 'type' | 'status' | 'priority' | 'size' | 'phase' | 'parentId'>;

/** All open tasks of the project, with their dependencies and claims. */
export interface OpenWork {
  /** Unordered. */
  tasks: OpenTask[];
  /** Dependencies of open tasks on tasks that are not done. */
  depends: { taskId: TaskId; dependsOn: TaskId }[];
  /** Parents of open tasks with at least one active or done child. */
  startedParents: Set<TaskId>;
  claims: Claim[];
  /** Open tasks with an assignee or a due date. */
  planned?: PlannedTask[];
}

export interface PlannedTask {
  taskId: TaskId;
  assignee?: string | undefined;
  due?: string | undefined;
}

/** An open task as plans show it. */
export type PlanTask = Omit<OpenTask, 'phase'> & Pick<Task, 'title' | 'blockedBy'>;

/** Open tasks to plan: all of them, or those inside one root. */
export interface PlanWork {
  /** Unordered: the root, its descendants and its ancestors. */
  tasks: PlanTask[];
  /** Ids of the root's ancestors. They are not planned, but the root waits for their dependencies too. */
  ancestors: TaskId[];
  /** Dependencies of these tasks on open tasks, inside the root or not. */
  depends: { taskId: TaskId; dependsOn: TaskId }[];
}
