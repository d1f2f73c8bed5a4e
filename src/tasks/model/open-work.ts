import type { Claim } from '#core/model/audit.ts';
import type { Priority, Size, Status, TaskId, TaskType } from '#core/model/scalars.ts';

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

/** An open task as a plan shows it. */
export interface PlanTask extends Omit<OpenTask, 'phase'> {
  title: string;
  /** Why it is blocked, where somebody wrote it. */
  blockedBy?: string | undefined;
}

/** Open work to be put in order: all of it, or what is inside one root. */
export interface PlanWork {
  /** In no order: the root with everything inside it, and what the root is inside of. */
  tasks: PlanTask[];
  /** Of these, what the root is inside of. It is not planned, but what it waits for holds for the root too. */
  above: TaskId[];
  /** What these wait for that is neither done nor archived, wherever it is. */
  depends: { taskId: TaskId; dependsOn: TaskId }[];
}
