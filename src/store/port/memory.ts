import type { TaskId } from '#core/model/scalars.ts';
import type { CitationFlag, CitingKind, ConfirmationState, MemoryHit, MemoryRecord, MemoryType } from '#memory/model/memory.ts';
import type { Page } from './page.ts';

export interface MemoryFilter {
  type?: MemoryType;
  state?: ConfirmationState;
  tag?: string;
  /** Linked to this task. */
  task?: TaskId;
  /** Linked to a task of this subtree. */
  inside?: TaskId;
}

export interface MemoryCandidate extends MemoryHit {
  seq: number;
}

export interface MemoryReads {
  /** Entries linked to this task, the newest first. */
  listForTask(taskId: TaskId): Promise<MemoryHit[]>;
  /** Decisions that are neither accepted nor rejected, the newest first. */
  listOpenDecisions(limit: number): Promise<MemoryHit[]>;
  /** Decisions that were accepted, rejected or superseded, the oldest first. */
  listDecided(): Promise<MemoryRecord[]>;
  get(id: string): Promise<MemoryRecord | undefined>;
  /** In the order of `ids`; missing entries are skipped. */
  getHits(ids: string[]): Promise<MemoryHit[]>;
  getNewest(type: MemoryType): Promise<MemoryHit | undefined>;
  getByDigest(digest: string): Promise<MemoryHit | undefined>;
  /** Entries imported from this row, the newest first. */
  listForSource(table: string, rowid: string): Promise<MemoryHit[]>;
  /** The newest first. */
  list(filter: MemoryFilter, page: Page): Promise<MemoryHit[]>;
  count(filter: MemoryFilter, atMost: number): Promise<number>;
  /** At most `limit` entries, newest first. An entry matches if each group of `groups` (with `isAny`: one group) has a word
   *  that it contains; with `prefix`, a word that one of its words begins with. */
  findCandidates(
    groups: string[][],
    options: { prefix: boolean; titleOnly: boolean; isAny?: true },
    filter: MemoryFilter,
    limit: number,
  ): Promise<MemoryCandidate[]>;
  countCandidates(groups: string[][], options: { prefix: boolean }, filter: MemoryFilter, atMost: number): Promise<number>;
  /** Entries without tags are not in the map. */
  getTags(ids: string[]): Promise<Map<string, string[]>>;
  /** The first 4000 characters of each entry. */
  getOpenings(ids: string[]): Promise<Map<string, string>>;
  /** Entries that this item cites. */
  listCited(kind: CitingKind, id: string): Promise<MemoryHit[]>;
  /** Items that cite this entry. */
  listCiting(id: string): Promise<{ kind: CitingKind; id: string; title: string }[]>;
  listSupersededBy(id: string): Promise<MemoryHit[]>;
  /** The entry that superseded this one, the entry that superseded that one, and so on. */
  listSuccessors(id: string): Promise<string[]>;
  /** Entries written before or after one, the nearest first. */
  listNeighbours(id: string, side: 'before' | 'after', limit: number): Promise<MemoryHit[]>;
  /** Items that cite this superseded entry, except its successors. */
  listFlagsFor(id: string): Promise<CitationFlag[]>;
  /** Superseded entries that this item cites. */
  listStaleCitations(kind: CitingKind, id: string): Promise<CitationFlag[]>;
  /** Everything in use (valid entries, documents, open tasks) that cites a superseded entry. */
  listOpenFlags(limit: number): Promise<CitationFlag[]>;
  /** Tasks whose title, description, notes or criteria contain this text. */
  findTasksMentioning(text: string): Promise<TaskId[]>;
}

export interface MemoryWrites {
  nextIds(type: MemoryType, count: number): Promise<string[]>;
  insertMany(entries: MemoryRecord[]): Promise<void>;
  /** Decides about an entry. `by` supersedes it; `proof` is the proof of the person as JSON. */
  decide(
    id: string,
    state: ConfirmationState,
    decision: { reason?: string | undefined; by?: string; proof?: string | undefined },
  ): Promise<void>;
  /** Replaces the entries that an item cites; entries that do not exist are skipped. */
  saveCitations(kind: CitingKind, id: string, cited: string[]): Promise<void>;
}
