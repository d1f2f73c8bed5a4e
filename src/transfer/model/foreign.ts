import { pipe, regex, string } from 'valibot';
import type { Priority, Status, TaskType } from '#core/model/scalars.ts';

/** A task of another tool, with the ids of that tool. */
export interface ForeignTask {
  id: string;
  title: string;
  description?: string;
  status: Status;
  blockedBy?: string;
  priority?: Priority;
  type?: TaskType;
  parent?: string;
  depends: string[];
  related?: string[];
  labels: string[];
  acceptance: { text: string; met: boolean }[];
  notes: { at?: string; by?: string; text: string }[];
  files?: string[];
  createdAt?: string;
  createdBy?: string;
  updatedAt?: string;
  startedAt?: string;
  completedAt?: string;
  isArchived?: boolean;
}

/** A field of a source task that could not be imported as it is. */
export interface ImportLoss {
  id: string;
  field: string;
  why: string;
}

/** The result of reading the files of a tool. */
export interface ForeignData {
  source: string;
  tasks: ForeignTask[];
  losses: ImportLoss[];
}

/** A file to import; its name is relative to the folder that was read. */
export interface SourceFile {
  name: string;
  text: string;
}

/** Distinguishes several sources of the same tool. */
export const SourceName = pipe(string(), regex(/^[a-z0-9._-]{1,50}$/, 'must consist of a-z 0-9 . _ - (at most 50)'));
