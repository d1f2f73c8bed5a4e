import type { AuditDraft, AuditEntry, Caller, ChainLink, Changes, Claim, HistoryEntry, KeptAnswer } from '#core/model/audit.ts';
import type { Priority, RelationType, Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { SessionHandle, SessionStatus } from '#core/model/session-handle.ts';
import type { Token } from '#core/model/token.ts';
import type { GradeEntry } from '#grade/model/grade.ts';
import type { ContextUsage, SessionRecord } from '#sessions/model/session.ts';
import type { BoardTask } from '#tasks/model/board.ts';
import type { OpenWork, PlanTask, PlanWork } from '#tasks/model/open-work.ts';
import type { Note, Relation, TaskHit, TaskRecord } from '#tasks/model/task.ts';
import type { ImportReads, ImportWrites } from './port-imports.ts';
import type { DocReads, DocWrites, NexusReads, NexusWrites } from './port-knowledge.ts';
import type { MemoryReads, MemoryWrites } from './port-memory.ts';
import type {
  GateReads,
  GateWrites,
  LifecycleReads,
  LifecycleWrites,
  ReleaseReads,
  ReleaseWrites,
  SpawnReads,
  SpawnWrites,
  WorkGraphReads,
  WorkGraphWrites,
} from './port-orchestration.ts';

export interface TaskFilter {
  parent?: TaskId;
  status?: Status;
  type?: TaskType;
  label?: string;
  priority?: Priority;
  archived?: 'no' | 'only' | 'both';
}

export type TaskSort = 'id' | 'priority' | 'status' | 'updated';

export interface Page {
  limit: number;
  offset: number;
}

/** One level of a task's chain of parents, itself first. */
export interface Ancestor {
  id: TaskId;
  type: TaskType;
  status: Status;
  parentId?: TaskId;
  archivedAt?: string;
}

export interface Edge {
  from: TaskId;
  to: TaskId;
}

export interface StoredRelation {
  from: TaskId;
  to: TaskId;
  type: RelationType;
  reason: string;
}

export interface TaskReads {
  get(id: TaskId): Promise<TaskRecord | undefined>;
  many(ids: TaskId[]): Promise<TaskRecord[]>;
  hit(id: TaskId): Promise<TaskHit | undefined>;
  /** In the order asked for, without those that do not exist. */
  hits(ids: TaskId[]): Promise<TaskHit[]>;
  exists(id: TaskId): Promise<boolean>;
  /** Of these, the ones that some task has or had. */
  everUsed(ids: TaskId[]): Promise<TaskId[]>;
  /** Of these, the ones that do not exist. */
  missing(ids: TaskId[]): Promise<TaskId[]>;
  /** The ids next below and next above, where this one does not exist. */
  neighbours(id: TaskId): Promise<TaskId[]>;
  /** The task and its parents up to the top; empty if it does not exist. */
  ancestry(id: TaskId): Promise<Ancestor[]>;
  countOpenChildren(id: TaskId): Promise<number>;
  children(id: TaskId): Promise<Ancestor[]>;
  /** Everything below, not the task itself, parents before children. */
  descendants(id: TaskId): Promise<Ancestor[]>;
  list(filter: TaskFilter, sort: TaskSort, page: Page): Promise<TaskRecord[]>;
  /** Exact up to `atMost`. */
  count(filter: TaskFilter, atMost: number): Promise<number>;
  byIdPrefix(digits: string, filter: TaskFilter, page: Page): Promise<TaskHit[]>;
  countByIdPrefix(digits: string, filter: TaskFilter, atMost: number): Promise<number>;
  /** Rows for a tree: everything not archived below a root, or everything. */
  forTree(root: TaskId | undefined): Promise<TaskHit[]>;
  /** Everything not archived, below a root with the root itself, or everywhere. In no order. */
  onBoard(root: TaskId | undefined): Promise<BoardTask[]>;
  openGraph(): Promise<OpenWork>;
  dependents(id: TaskId): Promise<Ancestor[]>;
  /** Of the depends of a task and of everything it is inside, those not done. */
  openDepends(id: TaskId): Promise<TaskId[]>;
  /** Who each of these is inside of, and what each depends on itself. */
  links(ids: TaskId[]): Promise<{ id: TaskId; parentId?: TaskId; depends: TaskId[] }[]>;
  childIds(ids: TaskId[]): Promise<Edge[]>;
  openChildIds(ids: TaskId[]): Promise<Edge[]>;
  dependentIds(ids: TaskId[]): Promise<Edge[]>;
  notes(ids: TaskId[]): Promise<Map<TaskId, Note[]>>;
  relations(id: TaskId): Promise<Relation[]>;
  /** Tasks that share labels, files, the parent or a dependency with this one: of each kind at most `limit`, the closest, then the newest. */
  sharing(id: TaskId, limit: number): Promise<TaskId[]>;
  history(id: TaskId, page: Page): Promise<HistoryEntry[]>;
  countHistory(id: TaskId, atMost: number): Promise<number>;
  /** The record as it was when it was deleted last, with its notes. */
  lastDeleted(id: TaskId): Promise<DeletedTask | undefined>;
  /** Ids of the subtree that was deleted with this root, parents first. */
  deletedWith(root: TaskId, at: string): Promise<TaskId[]>;
  /** Done, not archived, nothing open inside; below a root, or anywhere. */
  archivable(doneBefore: string | undefined, root: TaskId | undefined): Promise<TaskId[]>;
  /** Everything, archived too, in id order after this one. */
  allAfter(id: TaskId | undefined, limit: number): Promise<TaskRecord[]>;
  /** Who is inside of whom, of all tasks. */
  kin(): Promise<Ancestor[]>;
  /** Relations between any two tasks. */
  allRelations(): Promise<StoredRelation[]>;
  /** Relations of any of these, in either direction. */
  relationsTouching(ids: TaskId[]): Promise<StoredRelation[]>;
  countsByStatus(): Promise<{ status: Status; type: TaskType; n: number; archived: boolean }[]>;
  /** Archived ones too: they were done all the same. */
  recentlyDone(since: string, limit: number): Promise<TaskHit[]>;
  /** Those with the status, and why where somebody wrote it. */
  blocked(): Promise<{ id: TaskId; title: string; blockedBy?: string }[]>;
  orphans(): Promise<TaskId[]>;
  /** What is open of a root, of everything inside it and of what it is inside of; without a root, everything that is open. In no order. */
  openInside(root: TaskId | undefined): Promise<(PlanTask & { isAbove: boolean })[]>;
  /** What these wait for that is neither done nor archived. */
  waitsInside(root: TaskId | undefined): Promise<PlanWork['depends']>;
  /** The files that these touch. */
  filesInside(root: TaskId | undefined): Promise<{ path: string; taskId: TaskId }[]>;
  /** Tasks and subtasks of a root, itself too, that are done, archived ones as well. */
  doneInside(root: TaskId, limit: number): Promise<TaskHit[]>;
  /** Of each of these, itself and what is inside it, by type and status. */
  countsInside(roots: TaskId[]): Promise<InsideCount[]>;
}

export interface InsideCount {
  root: TaskId;
  type: TaskType;
  status: Status;
  n: number;
}

export interface DeletedTask {
  at: string;
  record: TaskRecord;
  notes: Note[];
  relations: StoredRelation[];
  dependents: TaskId[];
}

/** How a record came to be here, for its history. */
export type Birth = 'created' | 'restored' | 'imported';

export interface TaskWrites {
  nextId(): Promise<TaskId>;
  /** As many as asked for, in order, without a gap. */
  nextIds(count: number): Promise<TaskId[]>;
  /** Makes sure that no id up to this one is handed out again. */
  reserveIds(upTo: TaskId): Promise<void>;
  insert(task: TaskRecord, notes?: Note[], how?: Birth): Promise<void>;
  insertMany(tasks: { task: TaskRecord; notes: Note[] }[], how?: Birth): Promise<void>;
  /** Writes what differs, with a history row for each field, and the next revision. */
  save(before: TaskRecord, after: TaskRecord, reason?: string): Promise<TaskRecord>;
  appendNote(task: TaskRecord, note: Note): Promise<void>;
  /** Removes the row and keeps the whole of it in history, under the root of the delete, with who depended on it. */
  remove(id: TaskId, root: TaskId, dependents: TaskId[]): Promise<void>;
  relate(relation: StoredRelation): Promise<void>;
  /** How many were removed. */
  unrelate(from: TaskId, to: TaskId, type: RelationType | undefined): Promise<number>;
  /** Cuts orphans loose from the parent they lost. */
  adoptOrphans(): Promise<TaskId[]>;
}

export interface SearchReads {
  /** At most `limit` tasks, newest first, that match each group by one of its words, or by its beginning if asked. */
  candidates(wanted: string[][], how: { prefix: boolean; titleOnly: boolean }, filter: TaskFilter, limit: number): Promise<TaskHit[]>;
  countCandidates(wanted: string[][], how: { prefix: boolean }, filter: TaskFilter, atMost: number): Promise<number>;
  /** Of those that have any. */
  labels(ids: TaskId[]): Promise<Map<TaskId, string[]>>;
  /** Words of the vocabulary that share trigrams with this one and, if asked, may be no more edits away. */
  wordsLike(word: string, edits?: number): Promise<string[]>;
}

export interface AuditReads {
  head(): Promise<{ seq: number; hash: string } | undefined>;
  /** When the newest entry was written. */
  latest(): Promise<string | undefined>;
  newest(filter: AuditFilter, page: Page): Promise<AuditEntry[]>;
  count(filter: AuditFilter, atMost: number): Promise<number>;
  /** As stored, in log order, after `seq`, for the chain to be followed. */
  links(after: number, limit: number): Promise<ChainLink[]>;
  /** In log order, after `seq`. */
  after(seq: number, limit: number): Promise<AuditEntry[]>;
  /** Of one session, in log order, after `seq`. Parameters only where the entry created something or was refused with 4. */
  ofSession(session: string, seq: number, limit: number): Promise<GradeEntry[]>;
}

export interface AuditFilter {
  session?: string;
  agent?: string;
  /** Any of these, as they were called. */
  operations?: string[];
  taskId?: TaskId;
  failed?: boolean;
  /** Only what came after this entry, and then in log order. */
  after?: number;
}

export interface ClaimReads {
  /** The moment by which leases are judged: the database's own clock where it has one, else the caller's; but a caller whose
   *  clock is behind the log gets one by which nothing has lapsed. */
  moment(now: string): Promise<string>;
  of(taskId: TaskId): Promise<Claim | undefined>;
  heldBy(caller: Caller): Promise<Claim | undefined>;
  among(ids: TaskId[]): Promise<Claim[]>;
  inSession(id: string): Promise<Claim[]>;
  /** Of a session that has ended, or that neither the sessions nor the log know. */
  adrift(): Promise<Claim[]>;
  all(): Promise<Claim[]>;
}

export interface ClaimWrites {
  put(claim: Claim): Promise<void>;
  release(taskId: TaskId): Promise<void>;
  renew(caller: Caller, at: string): Promise<void>;
}

export interface SessionReads {
  /** The active ones and the one that is named; where there are several, each with whether this agent is attached to it. */
  candidates(agent: string, named: string | undefined): Promise<(SessionHandle & { isMine: boolean })[]>;
  get(id: string): Promise<SessionRecord | undefined>;
  /** Active ones first, then suspended ones, the newest first. */
  list(status: SessionStatus | undefined, page: Page): Promise<SessionRecord[]>;
  count(status: SessionStatus | undefined): Promise<number>;
  active(): Promise<SessionRecord[]>;
  /** Who works or has worked in it, in the order they came. */
  agents(id: string): Promise<string[]>;
  /** Ids of those that this agent has started or resumed, whatever became of them. */
  joinedBy(agent: string): Promise<string[]>;
  /** The session that ended last, on this root or anywhere. */
  lastHandoff(root: TaskId | undefined): Promise<SessionRecord | undefined>;
  /** Not ended, and nothing has been heard of them since then. */
  quietSince(before: string): Promise<SessionRecord[]>;
  /** Not ended, and about a task that does not exist. */
  rootless(): Promise<SessionRecord[]>;
  /** What its latest successful writes touched. */
  changedIn(id: string, limit: number): Promise<string[]>;
  contextOf(caller: Caller): Promise<ContextUsage | undefined>;
}

export interface SessionWrites {
  insert(session: SessionRecord): Promise<void>;
  save(session: SessionRecord): Promise<void>;
  /** False if it was attached already. */
  attach(id: string, agent: string, at: string): Promise<boolean>;
  reportContext(caller: Caller, usage: ContextUsage): Promise<void>;
}

export interface KeyReads {
  kept(operation: string, key: string): Promise<KeptAnswer | undefined>;
}

export interface KeyWrites {
  keep(operation: string, key: string, kept: KeptAnswer): Promise<void>;
  forget(operation: string, key: string): Promise<void>;
  forgetBefore(at: string): Promise<void>;
}

export interface HealthReads {
  /** Damage the database itself reports; empty when sound. */
  integrity(): Promise<string[]>;
  /** The steps of the schema it has had; whether each is the one this build knows by that number. */
  migrations(): Promise<{ version: number; appliedAt: string; isOurs: boolean }[]>;
  startedJobs(): Promise<{ id: number; operation: string; startedAt: string; agent: string }[]>;
  /** Cycles, bad edges and the like that should be impossible by construction. */
  dependencyEdges(): Promise<Edge[]>;
}

export interface JobWrites {
  begin(operation: string, agent: string, at: string): Promise<number>;
  finish(id: number): Promise<void>;
}

export interface TokenReads {
  named(name: string): Promise<Token | undefined>;
  /** The one whose secret has this hash, unless it was revoked. */
  inForceWith(hash: string): Promise<Token | undefined>;
  countInForce(): Promise<number>;
  all(): Promise<Token[]>;
}

export interface TokenWrites {
  insert(token: Token): Promise<void>;
  revoke(name: string, at: string): Promise<void>;
}

/** What a query sees: questions only. */
export interface ReadStore {
  tasks: TaskReads;
  search: SearchReads;
  audit: AuditReads;
  claims: ClaimReads;
  sessions: SessionReads;
  keys: KeyReads;
  tokens: TokenReads;
  spawns: SpawnReads;
  health: HealthReads;
  gates: GateReads;
  lifecycle: LifecycleReads;
  workgraphs: WorkGraphReads;
  releases: ReleaseReads;
  memory: MemoryReads;
  docs: DocReads;
  nexus: NexusReads;
  imports: ImportReads;
}

/** What a mutation sees. Everything it writes is noted in `changes`. */
export interface WriteStore extends ReadStore {
  tasks: TaskReads & TaskWrites;
  audit: AuditReads & { append(entry: AuditDraft): Promise<void> };
  claims: ClaimReads & ClaimWrites;
  sessions: SessionReads & SessionWrites;
  keys: KeyReads & KeyWrites;
  tokens: TokenReads & TokenWrites;
  spawns: SpawnReads & SpawnWrites;
  gates: GateReads & GateWrites;
  lifecycle: LifecycleReads & LifecycleWrites;
  jobs: JobWrites;
  workgraphs: WorkGraphReads & WorkGraphWrites;
  releases: ReleaseReads & ReleaseWrites;
  docs: DocReads & DocWrites;
  memory: MemoryReads & MemoryWrites;
  nexus: NexusReads & NexusWrites;
  imports: ImportReads & ImportWrites;
  changes: Changes;
}

/** Who and when, for history and claims: known to dispatch, not repeated by each operation. */
export interface Stamp {
  at: string;
  by: string;
}

export interface Store {
  read<T>(work: (store: ReadStore) => Promise<T>): Promise<T>;
  /** One transaction, one writer per project. Rolled back when `work` throws. */
  write<T>(stamp: Stamp, work: (store: WriteStore) => Promise<T>): Promise<T>;
  /** Brings the schema up to date behind a backup; the versions before and after. */
  migrate(): Promise<{ from: number; to: number }>;
  /** A copy of the whole database in one file; undefined where the server keeps its own backups. */
  backupTo(file: string): Promise<void>;
  close(): Promise<void>;
}

export type StoreKind = 'sqlite' | 'postgres';

/** What a database file is, seen from outside. */
export interface Inspection {
  isThere: boolean;
  /** Undefined where it is no store of ours. */
  schema?: number;
  /** Empty when it is sound. */
  problems: string[];
}

/** A project's store as a whole: also when it is not there, cannot be opened, or is to be replaced. */
export interface StoreAdmin {
  kind: StoreKind;
  open(mode: 'read' | 'write'): Promise<Store>;
  /** Makes it, whole or not at all; false if it is there already. */
  create(at: string): Promise<boolean>;
  /** The database, or another file. A PostgreSQL store is its server's to look after. */
  inspect(file?: string): Promise<Inspection>;
  /** Puts a copy of a sound file in the place of the database. What works on it goes on and sees the new content; a
   *  damaged one is moved aside, to the path that is answered. No task id that was in use is handed out again. */
  restore(file: string, at: string): Promise<{ movedTo?: string }>;
}
