import type { Changes } from '#core/model/audit.ts';
import type { StoreUsage } from '#core/model/store-usage.ts';
import type {
  AuditReads,
  AuditWrites,
  EntryHash,
  HealthReads,
  HealthWrites,
  JobWrites,
  KeyReads,
  KeyWrites,
  TokenReads,
  TokenWrites,
} from './admin.ts';
import type { DocReads, DocWrites } from './documents.ts';
import type { MemoryReads, MemoryWrites } from './memory.ts';
import type { NexusReads, NexusWrites } from './nexus.ts';
import type { SpawnReads, SpawnWrites } from './orchestration.ts';
import type { PlanReads, PlanWrites } from './plan.ts';
import type { LifecycleReads, LifecycleWrites, WorkGraphReads, WorkGraphWrites } from './planning.ts';
import type { RankReads, RankWrites } from './ranks.ts';
import type { ReleaseReads, ReleaseWrites } from './release.ts';
import type { ConversationWrites, SessionReads, SessionWrites } from './sessions.ts';
import type { SharedRecordReads, SharedRecordWrites } from './shared-records.ts';
import type { ClaimReads, ClaimWrites, DeletionWrites, SearchReads, TaskReads, TaskWrites } from './tasks.ts';
import type { GithubReads, GithubWrites, ImportReads, ImportWrites } from './transfer.ts';
import type { UndoWrites } from './undo.ts';
import type { GateReads, GateWrites } from './verification.ts';

/** The store of a query: it has no methods that write. */
export interface ReadStore {
  /** Sends the reads of `send` at once. They answer the same reads of this store until the next write; their errors are those of these
   *  reads. Only where a read costs a round trip to a server. */
  ahead?<A extends unknown[]>(send: ((store: ReadStore, ...args: A) => Promise<unknown>[]) | undefined, ...args: A): void;
  tasks: TaskReads;
  ranks: RankReads;
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
  plan: PlanReads;
  github: GithubReads;
  records: SharedRecordReads;
}

/** The store of a mutation. It records the ids that it writes in `changes`. */
export interface WriteStore extends ReadStore {
  tasks: TaskReads & TaskWrites;
  ranks: RankReads & RankWrites;
  audit: AuditReads & AuditWrites;
  claims: ClaimReads & ClaimWrites;
  sessions: SessionReads & SessionWrites;
  conversations: ConversationWrites;
  health: HealthReads & HealthWrites;
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
  plan: PlanReads & PlanWrites;
  undo: UndoWrites;
  deletions: DeletionWrites;
  github: GithubReads & GithubWrites;
  records: SharedRecordReads & SharedRecordWrites;
  changes: Changes;
}

/** Time and author of a write, for history and claims. Dispatch passes it once, so operations need not. */
export interface Stamp {
  at: string;
  by: string;
  /** The operation, for those who wait for the write lock. */
  operation?: string;
}

/** Requests reads whose results the transaction uses later. */
export type SendAhead = (store: ReadStore) => Promise<unknown>[];

export interface Store {
  read<T>(work: (store: ReadStore) => Promise<T>): Promise<T>;
  /** Reads tokens of a store whose schema may be older, so that one of scope `admin` can upgrade it. Only of a store on a database server,
   *  where an upgrade needs it. */
  readEarlierTokens?<T>(work: (tokens: TokenReads) => Promise<T>): Promise<T>;
  /** One transaction, one writer per project. Rolled back when `work` throws. `sendAhead` requests reads of `work` while it waits for the
   *  lock, like `ReadStore.ahead`. */
  write<T>(stamp: Stamp, work: (store: WriteStore) => Promise<T>, sendAhead?: SendAhead): Promise<T>;
  /** Makes a backup and migrates the schema; returns the versions before and after. */
  migrate(): Promise<{ from: number; to: number }>;
  /** Copies the whole database into one file. Fails on PostgreSQL, whose server makes the backups. */
  backupTo(file: string): Promise<void>;
  /** Calls `onChange` after commits to the log, by any process, and when the connection that reports them is made or lost. Missing where
   *  the engine cannot report commits. */
  listen?(onChange: () => void): LogSubscription;
  /** Closes connections to a server that are not in use; they are opened again when they are needed. */
  releaseConnections?(): Promise<void>;
  /** Checks for a write that runs or waits. Only of the store of a server. */
  isWriting?(): boolean;
  /** How much the connections are used. Only of the store of a server. */
  getUsage?(): StoreUsage;
  close(): Promise<void>;
}

export interface LogSubscription {
  /** Returns the time after which the end of the log has to be read although nothing was reported; undefined if every commit is reported. */
  getPollMs(): number | undefined;
  stop(): void;
}

type StoreKind = 'sqlite' | 'postgres';

/** State of a database file that need not be usable. */
export interface StoreInspection {
  exists: boolean;
  /** Undefined if the file is not a cleo database. */
  schema?: number;
  /** Empty if the file is sound. */
  problems: string[];
}

/** Manages a project's store, even if it is missing, cannot be opened, or is to be replaced. */
export interface StoreAdmin {
  kind: StoreKind;
  open(mode: 'read' | 'write'): Promise<Store>;
  /** Creates the store atomically; returns false if it exists already. */
  create(at: string): Promise<boolean>;
  /** Creates the store with what `fill` writes, atomically; returns false if it exists already. Fails on PostgreSQL. */
  build(at: string, fill: (store: Store) => Promise<void>): Promise<boolean>;
  /** Moves a database that is damaged to another name; returns its path. Fails on PostgreSQL. */
  moveAside(at: string): Promise<string | undefined>;
  /** Inspects the database or another file. Fails on PostgreSQL, whose server maintains the store. */
  inspect(file?: string): Promise<StoreInspection>;
  /** Replaces the content of the database with that of a sound file. Open connections see the new content. A damaged
   *  database is moved to the path that is returned. Task ids that were in use are not assigned again. */
  restore(file: string, at: string): Promise<StoreRestoration>;
  /** Copies everything to another store and makes this one read-only. A second call after a crash completes the move or starts again. */
  moveTo(target: StoreAdmin, request: MoveRequest): Promise<StoreMove>;
}

export interface MoveRequest {
  at: string;
  /** Where the stores are, for people: the path of a file, or an address without a password. */
  places: { from: string; to: string };
  /** Only checks the target and counts the rows. */
  isDryRun?: boolean;
  onProgress?: (progress: { phase: 'copy' | 'index' | 'verify'; done: number; total: number }) => void;
}

export interface StoreMove {
  tables: { table: string; rows: number; digest?: string }[];
  /** The name that an earlier state of the store got, which was at the target. */
  aside?: string;
  /** An earlier call had copied everything; this one has completed the move. */
  isResumed?: boolean;
}

/** The outcome of a restore. */
export interface StoreRestoration {
  /** The path that a damaged database was moved to. */
  movedTo?: string;
  /** The logs of the present store and of the backup, by their last entries. Absent if the present store was damaged. */
  log?: RestoredLog;
}

/** Which of the two logs a restored store has, and how far both reached. */
export interface RestoredLog {
  kept: 'present' | 'backup';
  present: EntryHash;
  backup: EntryHash;
}
