import { custom, metadata, pipe, regex, string } from 'valibot';
import type { Priority, Resolution, Status, TaskSize, TaskType } from '#core/model/scalars.ts';

/** A task of another tool, with the ids of that tool. */
export interface ForeignTask {
  id: string;
  /** The uid of the task here that the record was exported from. */
  uid?: string;
  title: string;
  description?: string;
  status: Status;
  /** How a done task ended; by default it was done. */
  resolution?: Resolution;
  blockedBy?: string;
  priority?: Priority;
  size?: TaskSize;
  phase?: string;
  type?: TaskType;
  parent?: string;
  /** The parent that the id names, as in `bd-a1.2`. It counts if it exists. */
  impliedParent?: string;
  depends: string[];
  related?: string[];
  labels: string[];
  acceptance: { text: string; met: boolean }[];
  notes: { at?: string; by?: string; text: string }[];
  files?: string[];
  assignee?: string;
  /** A date such as 2026-01-31. */
  due?: string;
  createdAt?: string;
  createdBy?: string;
  updatedAt?: string;
  startedAt?: string;
  completedAt?: string;
  isArchived?: boolean;
  /** The folder or list of the tool that contains the task. The same id in two of them can mean two tasks. */
  container?: string;
}

/** A field of a source task that could not be imported as it is. */
export interface ImportLoss {
  id: string;
  field: string;
  why: string;
  /** A record that cannot be read as the tool wrote it. With `strict` nothing is imported then. */
  isProblem?: true;
}

/** A text that the other tool remembers for its agents. */
export interface ForeignMemory {
  key: string;
  text: string;
}

/** The result of reading the files of a tool. All lists but `tasks` are complete only after `tasks` was read to its end. */
export interface ForeignStream {
  source: string;
  /** Each iteration reads the files again. */
  tasks: Iterable<ForeignTask>;
  losses: ImportLoss[];
  memories: ForeignMemory[];
  /** Records that the tool has deleted. */
  deletedIds: string[];
}

/** The same with all tasks in memory. */
export interface ForeignData extends ForeignStream {
  tasks: ForeignTask[];
}

/** A file to import; its name is relative to the folder that was read. */
export interface SourceFile {
  name: string;
  text: string | FileText;
}

/** The text of a large file. It is read in parts whenever it is needed, so that it is never in memory as a whole. */
export interface FileText {
  /** The size in bytes. */
  readonly length: number;
  chunks(): Iterable<string>;
  /** Stands for the text in hashes of parameters and in the audit log. */
  toJSON(): unknown;
}

// Not a class: each part of the build has its own copy of this file. No JSON contains a function.
const isFileText = (value: unknown): value is FileText =>
  typeof value === 'object' && value !== null && typeof (value as FileText).chunks === 'function';

export const maxContentLength = 256 * 1024 * 1024;

export const SourceText = pipe(
  custom<string | FileText>(
    (value) => (typeof value === 'string' || isFileText(value)) && value.length <= maxContentLength,
    'must be a text of at most 256 MiB',
  ),
  metadata({ jsonSchema: { type: 'string', maxLength: maxContentLength } }),
);

export const listChunks = ({ text }: SourceFile): Iterable<string> => (typeof text === 'string' ? [text] : text.chunks());

export const readWhole = (file: SourceFile): string => [...listChunks(file)].join('');

/** Reads the beginning of a file, which shows its format. */
export function readHead(file: SourceFile): string {
  for (const chunk of listChunks(file)) return chunk;
  return '';
}

/** Distinguishes several sources of the same tool. */
export const SourceName = pipe(string(), regex(/^[a-z0-9._-]{1,50}$/, 'must consist of a-z 0-9 . _ - (at most 50)'));
