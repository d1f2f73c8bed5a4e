import type { TaskId } from '#core/model/scalars.ts';
import type { Page } from './port.ts';

export interface ImportFilter {
  source: string | undefined;
  /** As the tool calls it. */
  foreignId: string | undefined;
}

export interface Imported {
  source: string;
  id: string;
  taskId: TaskId;
  importedAt: string;
}

export interface ImportReads {
  /** Everything that ever came from this source, by the tool's own ids. */
  known(source: string): Promise<Map<string, { taskId: TaskId; digest: string }>>;
  list(filter: ImportFilter, page: Page): Promise<Imported[]>;
  /** Exact up to `atMost`. */
  count(filter: ImportFilter, atMost: number): Promise<number>;
}

export interface ImportWrites {
  /** Writes them, or what is known of them anew. */
  remember(source: string, entries: { foreignId: string; taskId: TaskId; digest: string }[], at: string): Promise<void>;
}
