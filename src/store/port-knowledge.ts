import type { TaskId } from '#core/model/scalars.ts';
import type { DocContent, DocFilter, DocHit, DocRecord, DocVersion, StaleCitation } from '#documents/model/doc.ts';
import type { FarDepend } from '#nexus/model/nexus.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import type { Page } from './port.ts';

export interface DocReads {
  /** Attached to this task, the latest changed first. */
  of(taskId: TaskId): Promise<DocHit[]>;
  get(slug: string): Promise<DocRecord | undefined>;
  /** The latest changed first. */
  list(filter: DocFilter, page: Page): Promise<DocRecord[]>;
  /** Exact up to `atMost`. */
  count(filter: DocFilter, atMost: number): Promise<number>;
  /** One version, with what it holds. */
  version(slug: string, version: number): Promise<(DocVersion & DocContent) | undefined>;
  /** Of all its versions. */
  digests(slug: string): Promise<string[]>;
  /** The tasks that each of these is attached to, also those that exist no longer. */
  tasks(slugs: string[]): Promise<Map<string, TaskId[]>>;
  /** What each of these cites although it was superseded. */
  stale(slugs: string[]): Promise<Map<string, StaleCitation[]>>;
  /** Slugs that begin so, at most `limit`. */
  slugs(beginning: string, limit: number): Promise<string[]>;
  countsByKind(): Promise<Map<string, number>>;
}

export interface DocWrites {
  insert(doc: Omit<DocHit, 'updatedAt' | 'version'>, first: DocVersion & DocContent): Promise<void>;
  /** A further version; a content that is there already is not stored again. */
  addVersion(slug: string, next: DocVersion & DocContent): Promise<void>;
  rename(doc: Pick<DocHit, 'slug' | 'kind' | 'title'>, at: string): Promise<void>;
  attach(slug: string, taskId: TaskId): Promise<void>;
  detach(slug: string, taskId: TaskId): Promise<void>;
  /** With all versions, and the contents that no other document has. */
  remove(slug: string): Promise<void>;
}

export interface NexusReads {
  /** What this task waits for in other projects. */
  of(taskId: TaskId): Promise<FarDepend[]>;
  /** Everything that waits for other projects, in the order of the tasks. */
  all(): Promise<FarDepend[]>;
  /** The tasks here that wait for a task of another project. */
  waitingFor(project: string, farId: TaskId): Promise<TaskHit[]>;
}

export interface NexusWrites {
  /** Writes it, or what is known of it anew. */
  put(depend: FarDepend): Promise<void>;
  remove(depend: FarDepend): Promise<void>;
  /** These projects were looked at. */
  seen(projects: string[], at: string): Promise<void>;
}
