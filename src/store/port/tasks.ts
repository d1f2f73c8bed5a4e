import type { Caller, Claim, HistoryEntry } from '#core/model/audit.ts';
import type { Priority, RelationType, Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { TaskBaseline } from '#tasks/model/baseline.ts';
import type { BoardDetails, BoardTask } from '#tasks/model/board.ts';
import type { OpenWork, PlanTask, PlanWork } from '#tasks/model/open-work.ts';
import type { Note, Relation, TaskHit, TaskRecord } from '#tasks/model/task.ts';
import type { Page } from './page.ts';

export interface TaskFilter {
  parent?: TaskId;
  /** Any of these. */
  status?: Status[];
  /** Only tasks that are not done. */
  open?: boolean;
  isDone?: true;
  type?: TaskType[];
  /** All of these. */
  label?: string[];
  priority?: Priority[];
  /** Any of these names; none: tasks without an assignee. */
  assignee?: string[];
  /** Due on this day or before; `none`: without a due date. */
  dueBy?: string;
  /** Last changed at this time or later. */
  since?: string;
  /** Last changed before this time. */
  before?: string;
  archived?: 'no' | 'only' | 'both';
}

export type TaskSort = 'id' | 'priority' | 'status' | 'updated';

/** One level of a task's chain of parents, itself first. */
export interface Ancestor {
  id: TaskId;
  type: TaskType;
  status: Status;
  parentId?: TaskId;
  archivedAt?: string;
}

export interface TaskEdge {
  from: TaskId;
  to: TaskId;
}

export interface StoredRelation {
  from: TaskId;
  to: TaskId;
  type: RelationType;
  reason: string;
}

/** A relation with its time and author, which deletions of older versions did not store. */
export interface DatedRelation extends StoredRelation {
  at?: string;
  by?: string;
}

export interface SubtreeCount {
  root: TaskId;
  type: TaskType;
  status: Status;
  n: number;
}

export interface DeletedTask {
  at: string;
  /** The task that it was deleted with. */
  root?: TaskId;
  record: TaskRecord;
  notes: Note[];
  relations: DatedRelation[];
  /** Tasks that depended on it. */
  dependents: Dependent[];
  /** What older versions did not store. */
  attached?: AttachedRows;
}

export interface Dependent {
  id: TaskId;
  /** The place of the dependency in the list of the dependent. */
  position: number;
}

/** Rows of other tables that belong to a task, by table: evidence, verdicts, baseline, stages, spawns. */
export type AttachedRows = Record<string, Record<string, string | number | null>[]>;

/** The first history entry of a record. */
type TaskOrigin = 'created' | 'restored' | 'imported';

/** The part of a task that its ids in other tools depend on. */
type TaskIdentity = Pick<TaskRecord, 'id' | 'type' | 'status' | 'title' | 'uid' | 'createdAt' | 'parentId' | 'depends' | 'aliases'>;

export interface TaskReads {
  get(id: TaskId): Promise<TaskRecord | undefined>;
  getMany(ids: TaskId[]): Promise<TaskRecord[]>;
  getHit(id: TaskId): Promise<TaskHit | undefined>;
  /** In the order of `ids`; missing tasks are skipped. */
  getHits(ids: TaskId[]): Promise<TaskHit[]>;
  exists(id: TaskId): Promise<boolean>;
  /** Returns those of `ids` that a task has or had, deleted tasks included. */
  findUsedIds(ids: TaskId[]): Promise<TaskId[]>;
  /** Finds tasks by the ids of other tools, each alone or after the tool and a colon; `name` is the entry of `names` that matched. */
  findAliases(names: string[]): Promise<{ name: string; tool: string; taskId: TaskId }[]>;
  findByUids(uids: string[]): Promise<Map<string, TaskId>>;
  /** Returns those of `ids` that do not exist. */
  findMissing(ids: TaskId[]): Promise<TaskId[]>;
  /** The existing ids next below and next above `id`. */
  findNeighbours(id: TaskId): Promise<TaskId[]>;
  /** The task and its parents up to the top; empty if the task does not exist. */
  getAncestry(id: TaskId): Promise<Ancestor[]>;
  countOpenChildren(id: TaskId): Promise<number>;
  listChildren(id: TaskId): Promise<Ancestor[]>;
  /** Everything below the task, without the task itself, parents before children. */
  listDescendants(id: TaskId): Promise<Ancestor[]>;
  list(filter: TaskFilter, sort: TaskSort, page: Page): Promise<TaskRecord[]>;
  /** Exact up to `atMost`. */
  count(filter: TaskFilter, atMost: number): Promise<number>;
  findByIdPrefix(digits: string, filter: TaskFilter, page: Page): Promise<TaskHit[]>;
  countByIdPrefix(digits: string, filter: TaskFilter, atMost: number): Promise<number>;
  /** Unarchived tasks of the subtree of `root`, or of the project. */
  listForTree(root: TaskId | undefined): Promise<TaskHit[]>;
  /** Tasks of the subtree of `root`, or of the project, that are neither archived nor cancelled; unordered. */
  listForBoard(root: TaskId | undefined): Promise<BoardTask[]>;
  /** Labels, dependencies, assignee and due date of every task that has any. */
  getBoardDetails(): Promise<Map<TaskId, BoardDetails>>;
  getOpenGraph(): Promise<OpenWork>;
  listDependents(id: TaskId): Promise<Ancestor[]>;
  /** Dependencies of the task and of its ancestors that are not done. */
  listOpenDependencies(id: TaskId): Promise<TaskId[]>;
  /** The parent and the direct dependencies of each task. */
  getLinks(ids: TaskId[]): Promise<{ id: TaskId; parentId?: TaskId; depends: TaskId[] }[]>;
  listChildIds(ids: TaskId[]): Promise<TaskEdge[]>;
  listOpenChildIds(ids: TaskId[]): Promise<TaskEdge[]>;
  listDependentIds(ids: TaskId[]): Promise<TaskEdge[]>;
  getNotes(ids: TaskId[]): Promise<Map<TaskId, Note[]>>;
  listRelations(id: TaskId): Promise<Relation[]>;
  /** Tasks that had this id in another clone. */
  listFormerHolders(id: TaskId): Promise<TaskId[]>;
  /** Tasks that share labels, files, the parent or a dependency with this one: at most `limit` for each of the four, those
   *  with most in common first, then the newest. */
  findOverlapping(id: TaskId, limit: number): Promise<TaskId[]>;
  listHistory(id: TaskId, page: Page): Promise<HistoryEntry[]>;
  countHistory(id: TaskId, atMost: number): Promise<number>;
  /** The record as it was when it was last deleted, with its notes. */
  getLastDeleted(id: TaskId): Promise<DeletedTask | undefined>;
  /** Ids of the subtree that was deleted with this root, parents first. */
  listDeletedWith(root: TaskId, at: string): Promise<TaskId[]>;
  /** Done tasks that are not archived and have no open child, in the subtree of `root` or in the project. */
  findArchivable(doneBefore: string | undefined, root: TaskId | undefined): Promise<TaskId[]>;
  /** All tasks after `id` in id order, archived ones included. */
  listAllAfter(id: TaskId | undefined, limit: number): Promise<TaskRecord[]>;
  /** The same without the texts and lists that ids in other tools do not depend on. */
  listIdentitiesAfter(id: TaskId | undefined, limit: number): Promise<TaskIdentity[]>;
  /** Every task with its parent. */
  listHierarchy(): Promise<Ancestor[]>;
  listAllRelations(): Promise<StoredRelation[]>;
  /** Relations of any of these tasks, in either direction. */
  listRelationsTouching(ids: TaskId[]): Promise<StoredRelation[]>;
  countByStatus(): Promise<{ status: Status; type: TaskType; n: number; archived: boolean; isCancelled: boolean }[]>;
  /** Includes archived tasks, which were done before, but not cancelled ones. */
  listRecentlyDone(since: string, limit: number): Promise<TaskHit[]>;
  /** Tasks with status `blocked`, with the reason if one was given. */
  listBlocked(): Promise<{ id: TaskId; title: string; blockedBy?: string }[]>;
  findOrphans(): Promise<TaskId[]>;
  /** Open tasks of the subtree of `root` and open ancestors of `root`; without a root, all open tasks. Unordered. */
  listOpenInSubtree(root: TaskId | undefined): Promise<(PlanTask & { isAbove: boolean })[]>;
  /** Dependencies of the same tasks that are neither done nor archived. */
  listOpenDependenciesInSubtree(root: TaskId | undefined): Promise<PlanWork['depends']>;
  /** The files that these tasks touch. */
  listFiles(ids: TaskId[]): Promise<{ path: string; taskId: TaskId }[]>;
  /** The files that the tasks of a subtree touch. */
  listFilesInSubtree(root: TaskId | undefined): Promise<{ path: string; taskId: TaskId }[]>;
  /** Done tasks and subtasks of the subtree of `root`, archived ones included, cancelled ones not. */
  listDoneInSubtree(root: TaskId, limit: number): Promise<TaskHit[]>;
  /** The tasks of each subtree, its root included, by type and status. Cancelled tasks are not counted. */
  countInSubtrees(roots: TaskId[]): Promise<SubtreeCount[]>;
}

export interface TaskWrites {
  nextId(): Promise<TaskId>;
  /** Returns `count` consecutive ids. */
  nextIds(count: number): Promise<TaskId[]>;
  /** Makes sure that no id up to `upTo` is assigned again. */
  reserveIds(upTo: TaskId): Promise<void>;
  insert(task: TaskRecord, notes?: readonly Note[], origin?: TaskOrigin): Promise<void>;
  /** With `isIndexedLater`, search finds the tasks after `indexPending` only. An import indexes many at once, which is faster. */
  insertMany(tasks: { task: TaskRecord; notes: readonly Note[] }[], origin?: TaskOrigin, isIndexedLater?: boolean): Promise<void>;
  /** Indexes the tasks that were inserted with `isIndexedLater`. */
  indexPending(): Promise<void>;
  /** Writes the fields that differ, a history row for each of them, and the next revision. `updatedAt` is the time of a change that was
   *  made elsewhere; it is written even if nothing else differs, without a new revision. */
  save(before: TaskRecord, after: TaskRecord, reason?: string, updatedAt?: string): Promise<TaskRecord>;
  /** Appends notes with one new revision. The task is indexed once, because its whole text is read for that. */
  appendNotes(task: TaskRecord, notes: Note[], updatedAt?: string): Promise<void>;
  /** Relates two tasks and gives the first one its next revision, unless the relation is restored or imported with it. */
  relate(relation: DatedRelation, origin?: Exclude<TaskOrigin, 'created'>): Promise<void>;
  /** Returns the number of relations removed. */
  unrelate(from: TaskId, to: TaskId, type: RelationType | undefined): Promise<number>;
  /** Clears the parent of every task whose parent does not exist. */
  detachOrphans(): Promise<TaskId[]>;
}

export interface DeletionWrites {
  /** Deletes the tasks in this order and stores each whole record in history, with its dependents, under the root of the deletion. */
  removeMany(removals: { id: TaskId; root: TaskId; dependents: Dependent[] }[]): Promise<void>;
  /** Inserts the rows that were deleted with the task. The task itself exists again. */
  restoreAttached(deleted: DeletedTask): Promise<void>;
}

export interface SearchReads {
  /** At most `limit` tasks, newest first. A task matches if each group of `groups` has a word that it contains; with
   *  `prefix`, a word that one of its words begins with. */
  findCandidates(
    groups: string[][],
    options: { prefix: boolean; titleOnly: boolean },
    filter: TaskFilter,
    limit: number,
  ): Promise<TaskHit[]>;
  countCandidates(groups: string[][], options: { prefix: boolean }, filter: TaskFilter, atMost: number): Promise<number>;
  /** Tasks without labels are not in the map. */
  getLabels(ids: TaskId[]): Promise<Map<TaskId, string[]>>;
  /** Words of the vocabulary that share trigrams with `word` and differ from it in length by at most `edits`. */
  findSimilarWords(word: string, edits?: number): Promise<string[]>;
}

export interface ClaimReads {
  /** The files of claimed tasks, in the order of each task. */
  listFiles(): Promise<{ path: string; taskId: TaskId }[]>;
  /** The time that leases are compared with: the database's clock on PostgreSQL, otherwise the caller's. For a caller whose
   *  clock is behind the audit log it is a time at which no lease has expired. */
  getLeaseTime(now: string): Promise<string>;
  get(taskId: TaskId): Promise<Claim | undefined>;
  /** The caller's focus. */
  getHeldBy(caller: Caller): Promise<Claim | undefined>;
  /** All claims of the caller, its focus first. */
  listHeldBy(caller: Caller): Promise<Claim[]>;
  /** The latest claim that was taken over from any of these holders, as `formatHolder` writes them, and is still held. */
  getTakenFrom(holders: string[]): Promise<Claim | undefined>;
  listForTasks(ids: TaskId[]): Promise<Claim[]>;
  listForSession(id: string): Promise<Claim[]>;
  /** Claims of sessions that have ended or that neither the sessions nor the audit log know. */
  findOrphaned(): Promise<Claim[]>;
  list(): Promise<Claim[]>;
}

export interface ClaimWrites {
  insert(claim: Claim): Promise<void>;
  /** Stores the baseline of a task unless it has one. */
  insertBaseline(taskId: TaskId, baseline: TaskBaseline): Promise<void>;
  release(taskId: TaskId): Promise<void>;
  setFocus(taskId: TaskId, at: string): Promise<void>;
  /** Records a sign of life: the caller is no longer away, and its claims belong to its current process. */
  renew(caller: Caller, at: string): Promise<void>;
  /** Marks the caller as away in its claims that belong to its process. */
  markAway(caller: Caller, at: string): Promise<void>;
}
