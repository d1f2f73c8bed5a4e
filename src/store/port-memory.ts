import type { TaskId } from '#core/model/scalars.ts';
import type { CitingKind, ConfirmationState, Flag, MemoryHit, MemoryRecord, MemoryType } from '#memory/model/memory.ts';
import type { Page } from './port.ts';

export interface MemoryFilter {
  type?: MemoryType;
  state?: ConfirmationState;
  tag?: string;
  /** Linked to this task. */
  task?: TaskId;
  /** Linked to this one or to anything inside it. */
  inside?: TaskId;
}

export interface MemoryCandidate extends MemoryHit {
  seq: number;
}

export interface MemoryReads {
  /** Entries that are linked to this task, the newest first. */
  about(taskId: TaskId): Promise<MemoryHit[]>;
  /** Decisions that nobody has decided yet, the newest first. */
  openDecisions(limit: number): Promise<MemoryHit[]>;
  get(id: string): Promise<MemoryRecord | undefined>;
  /** In the order asked for, without those that do not exist. */
  hits(ids: string[]): Promise<MemoryHit[]>;
  /** The last of its type. */
  newest(type: MemoryType): Promise<MemoryHit | undefined>;
  withDigest(digest: string): Promise<MemoryHit | undefined>;
  /** What came from there, the newest first. */
  ofSource(table: string, rowid: string): Promise<MemoryHit[]>;
  /** The newest first. */
  list(filter: MemoryFilter, page: Page): Promise<MemoryHit[]>;
  count(filter: MemoryFilter, atMost: number): Promise<number>;
  /** At most `limit`, newest first, that match each group (`isAny`: one of them) by one of its words, or by its beginning if asked. */
  candidates(
    wanted: string[][],
    how: { prefix: boolean; titleOnly: boolean; isAny?: true },
    filter: MemoryFilter,
    limit: number,
  ): Promise<MemoryCandidate[]>;
  countCandidates(wanted: string[][], how: { prefix: boolean }, filter: MemoryFilter, atMost: number): Promise<number>;
  /** Of those that have any. */
  tags(ids: string[]): Promise<Map<string, string[]>>;
  /** How the content of each begins. */
  openings(ids: string[]): Promise<Map<string, string>>;
  /** What this cites. */
  citedBy(kind: CitingKind, id: string): Promise<MemoryHit[]>;
  /** What cites this. */
  citing(id: string): Promise<{ kind: CitingKind; id: string; title: string }[]>;
  supersededBy(id: string): Promise<MemoryHit[]>;
  /** What took its place, and what took the place of that, to the end. */
  successors(id: string): Promise<string[]>;
  /** The nearest in time that have a task or the session in common with it, the nearest first. */
  beside(id: string, side: 'before' | 'after', limit: number): Promise<MemoryHit[]>;
  /** What cites this entry, which was superseded; what took its place does not count. */
  flaggedBy(id: string): Promise<Flag[]>;
  /** What of the things that this cites was superseded. */
  staleIn(kind: CitingKind, id: string): Promise<Flag[]>;
  /** Everything in use that cites something superseded: entries in force, documents, open tasks. */
  openFlags(limit: number): Promise<Flag[]>;
  /** Tasks in whose title, description, notes or criteria this text occurs. */
  tasksSaying(text: string): Promise<TaskId[]>;
}

export interface MemoryWrites {
  nextIds(type: MemoryType, count: number): Promise<string[]>;
  insertMany(entries: MemoryRecord[]): Promise<void>;
  decide(id: string, state: ConfirmationState, reason: string | undefined, by?: string): Promise<void>;
  /** Says which entries something cites, in the place of what was said before; those that do not exist are left out. */
  cite(kind: CitingKind, id: string, cited: string[]): Promise<void>;
}
