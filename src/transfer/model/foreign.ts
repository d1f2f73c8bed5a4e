import type { Priority, Status, TaskType } from '#core/model/scalars.ts';

/** A task as another tool wrote it, in our words. Ids are the tool's own. */
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

/** What could not be kept: of which task, which field, and why. */
export interface Loss {
  id: string;
  field: string;
  why: string;
}

/** What a reader made of a tool's files. */
export interface ForeignFile {
  source: string;
  tasks: ForeignTask[];
  losses: Loss[];
}

/** One file as it was handed over: its name relative to the folder that was read, and its text. */
export interface GivenFile {
  name: string;
  text: string;
}
