import type { DocHit } from '../model/doc.ts';
import type { MemoryHit } from '../model/memory.ts';
import type { TaskId } from '../model/scalars.ts';

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
