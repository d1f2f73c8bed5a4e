import type { TaskId } from '#core/model/scalars.ts';
import type { KnownImport } from '#transfer/model/known-import.ts';
import type { Page } from './page.ts';

export interface ImportFilter {
  /** A tool with all its sources. */
  tool?: string | undefined;
  /** Exact sources. */
  sources?: string[] | undefined;
  /** The id that the source uses. */
  foreignId: string | undefined;
}

interface ImportedTask {
  source: string;
  id: string;
  taskId: TaskId;
  importedAt: string;
}

export interface ImportReads {
  /** Every task that was ever imported from this source, by the id that the source uses. */
  getKnown(source: string): Promise<Map<string, KnownImport>>;
  /** Passes each of them to `visit`, a page at a time: tens of thousands do not fit into memory next to the file. The order is not
   *  defined. */
  visitKnown(source: string, visit: (id: string, known: KnownImport) => void): Promise<void>;
  /** The stored bases of some records, by the ids that the source uses. */
  getBases(source: string, ids: string[]): Promise<Map<string, string>>;
  list(filter: ImportFilter, page: Page): Promise<ImportedTask[]>;
  /** Exact up to `atMost`. */
  count(filter: ImportFilter, atMost: number): Promise<number>;
}

export interface ImportWrites {
  /** Inserts or updates the entries. */
  save(source: string, entries: { foreignId: string; taskId: TaskId; base: string }[], at: string): Promise<void>;
}

/** A response of the GitHub API with its ETag, or something that a sync remembers about a repository. */
export interface GithubEntry {
  path: string;
  etag?: string;
  body: string;
}

export interface GithubReads {
  list(repo: string): Promise<Map<string, GithubEntry>>;
}

export interface GithubWrites {
  /** Inserts or replaces the entries. */
  save(repo: string, entries: GithubEntry[]): Promise<void>;
  remove(repo: string, paths: string[]): Promise<void>;
}
