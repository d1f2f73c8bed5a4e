import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { Page } from './page.ts';

export interface ImportFilter {
  /** A tool with all its sources. */
  tool?: string | undefined;
  /** Exact sources. */
  sources?: string[] | undefined;
  /** The id that the source uses. */
  foreignId: string | undefined;
}

export interface ImportedTask {
  source: string;
  id: string;
  taskId: TaskId;
  importedAt: string;
}

/** A record that was imported from a source: its task, and what was imported last. Without a base it is known by its alias only, from
 *  an export of another machine; without `current` its task was deleted. */
export interface KnownImport {
  taskId: TaskId;
  base?: string;
  current?: { type: TaskType; status: Status; parentId?: TaskId; archivedAt?: string; revision: number; updatedAt: string };
}

export interface ImportReads {
  /** Every task that was ever imported from this source, by the id that the source uses. */
  getKnown(source: string): Promise<Map<string, KnownImport>>;
  list(filter: ImportFilter, page: Page): Promise<ImportedTask[]>;
  /** Exact up to `atMost`. */
  count(filter: ImportFilter, atMost: number): Promise<number>;
}

export interface ImportWrites {
  /** Inserts or updates the entries. */
  save(source: string, entries: { foreignId: string; taskId: TaskId; base: string }[], at: string): Promise<void>;
}
