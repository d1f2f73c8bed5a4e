import type { DocHit } from '../model/doc.ts';
import type { MemoryHit } from '../model/memory.ts';
import type { FarDepend } from '../model/nexus.ts';
import type { TaskId } from '../model/scalars.ts';
import type { TaskHit } from '../model/task.ts';

export interface MemoryReads {
  /** Entries that are linked to this task, the newest first. */
  about(taskId: TaskId): Promise<MemoryHit[]>;
  /** Decisions that nobody has decided yet, the newest first. */
  openDecisions(limit: number): Promise<MemoryHit[]>;
}

export interface DocReads {
  /** Attached to this task, the latest changed first. */
  of(taskId: TaskId): Promise<DocHit[]>;
}

export interface NexusReads {
  /** What this task waits for in other projects. */
  of(taskId: TaskId): Promise<FarDepend[]>;
  /** Everything that waits for other projects, in the order of the tasks. */
  all(): Promise<FarDepend[]>;
  /** The tasks here that wait for a task of another project. */
  waitingFor(project: string, farId: TaskId): Promise<TaskHit[]>;
}

export interface NexusWrites {
  /** Writes it, or what is known of it anew. */
  put(depend: FarDepend): Promise<void>;
  remove(depend: FarDepend): Promise<void>;
  /** These projects were looked at. */
  seen(projects: string[], at: string): Promise<void>;
}
