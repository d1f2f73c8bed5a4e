import type { SharedContent, SharedRecord, SharedRecordKind } from '#core/model/shared-records.ts';

export interface SharedRecordReads {
  /** All records of a kind in the order in which they were stored, without their contents. */
  list(kind: SharedRecordKind): Promise<SharedRecord[]>;
  /** The contents of those records that have one. */
  readContents(kind: SharedRecordKind, names: string[]): Promise<(SharedContent & { name: string })[]>;
  /** The project's settings with their values as JSON. */
  listSettings(): Promise<{ key: string; value: string }[]>;
}

export interface SharedRecordWrites {
  /** Inserts or replaces a record. Without a content it is too large to be stored. A record that replaces another keeps its place. */
  save(kind: SharedRecordKind, record: Omit<SharedRecord, 'state'>, content?: SharedContent): Promise<void>;
  /** Removes the content of a record. It stays in the list as removed. */
  remove(kind: SharedRecordKind, names: string[]): Promise<void>;
  /** Removes the contents of a kind that were stored before a time. */
  removeBefore(kind: SharedRecordKind, at: string): Promise<void>;
  /** Deletes all records, after they were written to files. */
  clear(): Promise<void>;
}
