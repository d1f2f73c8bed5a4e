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
  /** Inserts or changes records. Returns the names of those that were not, which only a server does: another client has changed them. */
  save(kind: SharedRecordKind, records: NewRecord[]): Promise<string[]>;
  /** Removes the content of a record. It stays in the list as removed. */
  remove(kind: SharedRecordKind, names: string[]): Promise<void>;
  /** Removes the contents of a kind that were stored before a time. The records stay in the list, and the files stay where they are. */
  omitBefore(kind: SharedRecordKind, at: string): Promise<void>;
  /** Deletes all records, after they were written to files. */
  clear(): Promise<void>;
}

export interface NewRecord extends Omit<SharedRecord, 'state'> {
  /** Without one it is too large to be stored. */
  stored?: SharedContent | undefined;
  /** The record whose place in the order it gets; otherwise it is the last one. */
  replaces?: string | undefined;
  /** The hash of what the record was compared with, null for a new one. Only a server looks at it: a process that opens the store compares
   *  under its write lock. */
  expected?: string | null | undefined;
}
