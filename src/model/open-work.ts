import type { Claim } from './audit.ts';
import type { Priority, Size, Status, TaskId, TaskType } from './scalars.ts';

/** What ordering, waves and `next` need to know of an open task. */
export interface OpenTask {
  id: TaskId;
  type: TaskType;
  status: Status;
  priority: Priority;
  size?: Size | undefined;
  phase?: string | undefined;
  parentId?: TaskId | undefined;
}

/** Everything that is open, and what is known of it. */
export interface OpenWork {
  /** In no order. */
  tasks: OpenTask[];
  /** Dependencies of open tasks on tasks that are not done. */
  depends: { taskId: TaskId; dependsOn: TaskId }[];
  /** Parents of open tasks with at least one active or done child. */
  begunParents: Set<TaskId>;
  claims: Claim[];
}
