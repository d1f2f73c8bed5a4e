import type { TaskId } from '#core/model/scalars.ts';
import type { DocContent, DocFilter, DocHit, DocRecord, DocVersion, StaleCitation } from '#documents/model/doc.ts';
import type { Page } from './page.ts';

export interface DocReads {
  /** Documents attached to this task, the latest changed first. */
  listForTask(taskId: TaskId): Promise<DocHit[]>;
  get(slug: string): Promise<DocRecord | undefined>;
  /** The latest changed first. */
  list(filter: DocFilter, page: Page): Promise<DocRecord[]>;
  /** Exact up to `atMost`. */
  count(filter: DocFilter, atMost: number): Promise<number>;
  getVersion(slug: string, version: number): Promise<(DocVersion & DocContent) | undefined>;
  /** Digests of all versions of the document. */
  listDigests(slug: string): Promise<string[]>;
  /** The tasks that each document is attached to, including tasks that no longer exist. */
  getTaskIds(slugs: string[]): Promise<Map<string, TaskId[]>>;
  /** Superseded entries that each document cites. */
  getStaleCitations(slugs: string[]): Promise<Map<string, StaleCitation[]>>;
  /** At most `limit` slugs with this prefix. */
  listSlugs(prefix: string, limit: number): Promise<string[]>;
  countByKind(): Promise<Map<string, number>>;
}

export interface DocWrites {
  insert(doc: Omit<DocHit, 'updatedAt' | 'version'>, first: DocVersion & DocContent): Promise<void>;
  /** Content that is already stored is not stored again. */
  addVersion(slug: string, next: DocVersion & DocContent): Promise<void>;
  update(doc: Pick<DocHit, 'slug' | 'kind' | 'title'>, at: string): Promise<void>;
  attach(slug: string, taskId: TaskId): Promise<void>;
  detach(slug: string, taskId: TaskId): Promise<void>;
  /** Removes the document, its versions, and contents that no other document has. */
  remove(slug: string): Promise<void>;
}
