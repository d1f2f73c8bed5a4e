import type { TaskId } from '#core/model/scalars.ts';
import type { RemoteDependency } from '#nexus/model/nexus.ts';
import type { TaskHit } from '#tasks/model/task.ts';

export interface NexusReads {
  /** Dependencies of this task on tasks of other projects. */
  listForTask(taskId: TaskId): Promise<RemoteDependency[]>;
  /** All dependencies on other projects, in task order. */
  list(): Promise<RemoteDependency[]>;
  /** Tasks of this project that depend on a task of another project. */
  listWaitingFor(project: string, farId: TaskId): Promise<TaskHit[]>;
}

export interface NexusWrites {
  /** Inserts or updates the dependency. */
  save(depend: RemoteDependency): Promise<void>;
  remove(depend: RemoteDependency): Promise<void>;
  markSynced(projects: string[], at: string): Promise<void>;
}
