import type { SharedRecord } from '#core/model/shared-records.ts';

/** The files of a kind of shared records. */
export interface RecordFiles {
  /** The order of the records has a meaning. */
  isOrdered: boolean;
  /** Hashes by name, without records that are being written. */
  list(): Map<string, string>;
  /** Reads a record of the last list. Undefined if it is too large to be stored. */
  read(name: string): Uint8Array | undefined;
  /** True for a record that a process of this machine is writing. */
  isBusy(name: string): boolean;
  /** True if the file continues the record of the store. */
  isContinued(record: SharedRecord, stored: SharedRecord[]): boolean;
  /** Writes the contents, and removes the files that are discarded. `stored` are all records of the store. */
  apply(stored: SharedRecord[], contents: Map<string, Uint8Array>, discarded: string[]): void;
}

export interface FolderRecordOptions {
  /** Folders below `root` whose files are records. */
  folders: string[];
  includes(name: string): boolean;
  /** Larger files are not read: their size takes the place of the hash. */
  maxBytes: number;
  isBusy?: RecordFiles['isBusy'];
  isContinued?: RecordFiles['isContinued'];
}

export interface RecordFilesModule {
  /** A file of JSON lines. Each line is a record, named by its hash; a line that is not a JSON object stays in the file only. */
  openLineRecords(path: string): RecordFiles;
  /** Files of folders, each a record of its own. They are readable by their owner only. */
  openFolderRecords(root: string, options: FolderRecordOptions): RecordFiles;
  /** True if a file begins with the content of a record: it was appended to since then. */
  continuesRecord(path: string, record: SharedRecord): boolean;
}
