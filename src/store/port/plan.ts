import type { TaskId } from '#core/model/scalars.ts';
import type { DocEncoding } from '#documents/model/doc.ts';
import type { MemoryRecord, MemoryType } from '#memory/model/memory.ts';
import type { SessionRecord } from '#sessions/model/session.ts';
import type { Note } from '#tasks/model/task.ts';
import type { PlanKind } from '#transfer/model/plan.ts';
import type { GateAttempt, RoundState } from '#verification/model/verification.ts';
import type { StoredRelation } from './tasks.ts';

/** Sequence numbers of the store up to which the plan files are known to include it. */
export interface PlanPosition {
  history: number;
  evidence: number;
  audit: number;
  at: string;
  /** Identifies the plan files after the sync; absent if some of them are not in step. */
  files?: string;
}

export interface PlanKey {
  kind: PlanKind;
  uid: string;
}

/** A record of the plan with everything that the next sync compares it with. All texts are JSON. */
export interface PlanRow extends PlanKey {
  record: string;
  /** The state that was written to the store; undefined for a deleted record. */
  projected?: string;
  summary: string;
  outcome?: string;
  /** Size and time of the file that was read or written last. */
  fileStat?: string;
}

interface PlanRelationRow extends StoredRelation {
  at: string;
  by: string;
}

export interface DeletedTaskRow {
  id: TaskId;
  uid: string;
  at: string;
  by: string;
}

export interface PlanDocument {
  slug: string;
  kind: string;
  title: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  versions: PlanDocumentVersion[];
  tasks: TaskId[];
}

export interface PlanDocumentVersion {
  digest: string;
  path?: string;
  at: string;
  by: string;
  encoding: DocEncoding;
  size: number;
}

export interface PlanReads {
  /** Undefined before the first sync. */
  getSyncedPosition(): Promise<PlanPosition | undefined>;
  getPosition(at: string): Promise<PlanPosition>;
  /** All records, with the size and time of their files in the main worktree or in a linked one. */
  listFileStats(tree?: string): Promise<Pick<PlanRow, 'kind' | 'uid' | 'fileStat'>[]>;
  /** Linked worktrees whose files are known. */
  listTrees(): Promise<string[]>;
  listSummaries(): Promise<Pick<PlanRow, 'kind' | 'uid' | 'summary' | 'outcome'>[]>;
  getRows(kind: PlanKind, uids: string[]): Promise<PlanRow[]>;
  listAllRows(kind: PlanKind): Promise<PlanRow[]>;
  /** Tasks that were changed, created or claimed after the position; all tasks without one. Deleted ones are not included. */
  listChangedTasks(since: PlanPosition | undefined): Promise<TaskId[]>;
  /** Tasks that were deleted after the position and do not exist. */
  listDeletedTasks(since: PlanPosition): Promise<DeletedTaskRow[]>;
  /** Domains of the successful writes after the position. */
  listChangedDomains(since: PlanPosition): Promise<string[]>;
  /** The time of the last change of each field, by task. */
  listEditTimes(ids: TaskId[]): Promise<Map<TaskId, Map<string, string>>>;
  getTaskIds(uids: string[]): Promise<Map<string, TaskId>>;
  getTaskUids(ids: TaskId[]): Promise<Map<TaskId, string>>;
  /** Relations from these tasks to others. */
  listRelationsFrom(ids: TaskId[]): Promise<PlanRelationRow[]>;
  listAttempts(ids: TaskId[]): Promise<Map<TaskId, GateAttempt[]>>;
  listRounds(ids: TaskId[]): Promise<Map<TaskId, RoundState>>;
  listMemory(types: MemoryType[]): Promise<MemoryRecord[]>;
  listDocuments(): Promise<PlanDocument[]>;
  getContent(digest: string): Promise<{ encoding: DocEncoding; content: string } | undefined>;
  /** Ended sessions with a handoff, in the order they ended. */
  listHandoffs(): Promise<SessionRecord[]>;
  countHandoffs(): Promise<number>;
}

export interface PlanWrites {
  setSyncedPosition(position: PlanPosition): Promise<void>;
  saveRows(rows: PlanRow[]): Promise<void>;
  setFileStats(stats: (PlanKey & { fileStat: string })[], tree?: string): Promise<void>;
  /** Forgets the files of records in all linked worktrees but one, because the records have changed. */
  forgetFiles(keys: PlanKey[], exceptTree?: string): Promise<void>;
  forgetTree(tree: string): Promise<void>;
  /** Gives tasks other ids, everywhere they are referred to. Several tasks can swap their ids. */
  renumberTasks(changes: { from: TaskId; to: TaskId }[]): Promise<void>;
  setUpdatedAt(id: TaskId, at: string): Promise<void>;
  replaceNotes(id: TaskId, notes: Note[]): Promise<void>;
  replaceRelations(id: TaskId, relations: PlanRelationRow[]): Promise<void>;
  replaceAttempts(id: TaskId, attempts: GateAttempt[]): Promise<void>;
  /** Replaces a claim, without a lease of this machine. */
  setForeignClaim(id: TaskId, agent: string, at: string): Promise<void>;
  renumberMemory(changes: { from: string; to: string }[]): Promise<void>;
  saveMemory(entry: MemoryRecord): Promise<void>;
  reserveMemoryIds(type: MemoryType, upTo: number): Promise<void>;
  saveDocument(doc: PlanDocument, contents: Map<string, string>): Promise<void>;
  saveHandoff(session: SessionRecord): Promise<void>;
}
