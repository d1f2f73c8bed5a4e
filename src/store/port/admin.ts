import type { AuditDraft, AuditEntry, ChainLink, SignEntry, StoredAnswer } from '#core/model/audit.ts';
import type { LockHolder } from '#core/model/lock-holder.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Token } from '#core/model/token.ts';
import type { GradeEntry } from '#grade/model/grade.ts';
import type { Page } from './page.ts';
import type { TaskEdge } from './tasks.ts';

export interface AuditFilter {
  session?: string;
  agent?: string;
  /** The name of the token that the calls were made with. */
  token?: string;
  /** Any of these operations, by the name they were called with. */
  operations?: string[];
  taskId?: TaskId;
  failed?: boolean;
  /** Only entries after this sequence number, in log order. */
  after?: number;
  /** Only entries before this sequence number. */
  before?: number;
  /** Only entries of this time or later, and of this time or earlier. */
  since?: string;
  until?: string;
}

interface StoreFacts {
  engine: 'sqlite' | 'postgres';
  replica: string;
  taskNumber: number;
}

/** An entry of the log by its number and hash. */
export interface EntryHash {
  seq: number;
  hash: string;
}

export interface AuditReads {
  getHead(): Promise<{ seq: number; hash: string } | undefined>;
  /** The engine, the random id and the highest task number of this store. */
  getStoreFacts(): Promise<StoreFacts>;
  /** The time of the newest entry. */
  getLatestTime(): Promise<string | undefined>;
  /** Newest first, unless `filter.after` is set. */
  list(filter: AuditFilter, page: Page): Promise<AuditEntry[]>;
  count(filter: AuditFilter, atMost: number): Promise<number>;
  /** Entries after `after` in log order, with the columns as stored, to verify the hash chain. */
  listLinks(after: number, limit: number): Promise<ChainLink[]>;
  /** Entries after `seq` in log order. */
  listAfter(seq: number, limit: number): Promise<AuditEntry[]>;
  /** Successful calls of people who proved to be one, with the evidence, in log order. Reads the whole log. */
  listProofs(): Promise<AuditEntry[]>;
  /** Returns those of `names` that an agent, a token or the owner of a token has, or that the name of an agent begins with, followed
   *  by a dash. */
  findKnownNames(names: string[]): Promise<string[]>;
  /** Ids of the runs that succeeded for a task. */
  listRuns(taskId: TaskId): Promise<string[]>;
  /** Entries of one session after `seq` in log order. Parameters are included only if the entry created something or
   *  failed with exit code 4. */
  listForSession(session: string, seq: number, limit: number): Promise<GradeEntry[]>;
  /** The first and the last entry of a session; undefined if it has none. */
  getSessionEnds(session: string): Promise<{ first: EntryHash; last: EntryHash } | undefined>;
  /** The hash of an entry. */
  getHash(seq: number): Promise<string | undefined>;
}

export interface AuditWrites {
  append(entry: AuditDraft, sign?: SignEntry): Promise<void>;
}

export interface KeyReads {
  get(operation: string, key: string): Promise<StoredAnswer | undefined>;
}

export interface KeyWrites {
  save(operation: string, key: string, kept: StoredAnswer): Promise<void>;
  remove(operation: string, key: string): Promise<void>;
  removeBefore(at: string): Promise<void>;
}

export interface HealthReads {
  /** Damage that the database itself reports; empty if it is sound. */
  checkIntegrity(): Promise<string[]>;
  /** Applied migrations, and whether each is the one that this build has under that number. */
  listMigrations(): Promise<{ version: number; appliedAt: string; isKnown: boolean }[]>;
  /** The session that holds the write lock at this moment. Always undefined on SQLite, which does not know it. */
  findLockHolder(): Promise<LockHolder | undefined>;
  /** Names what cleo needs of this engine. */
  listFeatures(): Promise<string[]>;
  /** Checks one of them. A feature that is missing may also be an error, which ends the transaction. */
  checkFeature(name: string): Promise<{ isMet: boolean; detail?: string; problem: string }>;
  listStartedJobs(): Promise<{ id: number; operation: string; startedAt: string; agent: string }[]>;
  /** All dependencies, to find cycles and other edges that no operation can create. */
  listDependencyEdges(): Promise<TaskEdge[]>;
}

export interface HealthWrites {
  /** Writes a row that nothing reads, to find out whether the database can be written. */
  recordCheck(at: string): Promise<void>;
}

export interface JobWrites {
  start(operation: string, agent: string, at: string): Promise<number>;
  finish(id: number): Promise<void>;
}

export interface TokenReads {
  get(name: string): Promise<Token | undefined>;
  /** The token whose secret has this hash, unless it was revoked. */
  getActiveByHash(hash: string): Promise<Token | undefined>;
  /** Tokens that are valid at the time `at`. */
  countActive(at: string): Promise<number>;
  list(): Promise<Token[]>;
  /** Tokens that were revoked after the time `at`. */
  listRevokedAfter(at: string): Promise<Token[]>;
}

export interface TokenWrites {
  insert(token: Token): Promise<void>;
  revoke(name: string, at: string): Promise<void>;
}
