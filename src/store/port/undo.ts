import type { TaskId } from '#core/model/scalars.ts';
import type { TaskRecord } from '#tasks/model/task.ts';

/** A change of one field of a task, as history stores it. */
export interface TaskChange {
  taskId: TaskId;
  field: string;
  old?: unknown;
  new?: unknown;
}

/** A document or a memory entry that a write changed. */
export interface ChangedItem {
  kind: 'doc' | 'memory';
  id: string;
  /** The write created it. */
  isNew: boolean;
}

export interface UndoWrites {
  /** Changes of tasks by one entry of the log, in order; undefined if the entry was written by an older version. */
  listTaskChanges(entry: number): Promise<TaskChange[] | undefined>;
  /** Documents and memory entries that the entry changed within the last hour, in order. */
  listChangedItems(entry: number): Promise<ChangedItem[]>;
  /** Restores the state of those documents and memory entries before the entry. */
  restoreItems(entry: number): Promise<void>;
  /** Removes the newest notes of a task, with one new revision. */
  removeNotes(task: TaskRecord, count: number): Promise<void>;
}
