import type { RelationType, Status, TaskType } from '#core/model/scalars.ts';

/** Version of the plan files, as `major.minor`. A newer minor version may add fields, sets, keys of values and keys of the record; they
 *  survive reading, merging and writing here. A newer major version is not read. */
export const planVersion = '1.0';

/** Kinds of records, each in a folder of `.cleo/plan/`. Grades are not among them: they are signed files that are copied as they are. */
export const planKinds = ['task', 'memory', 'document', 'handoff'] as const;
export type PlanKind = (typeof planKinds)[number];

export const planFolders: Record<PlanKind, string> = { task: 'tasks', memory: 'memory', document: 'documents', handoff: 'handoffs' };

/** A hybrid logical clock: `<time>.<counter>.<replica>`, for example `2026-11-16T12:00:00.123Z.0000.9f0c2ab41d7e6655`. Stamps are
 *  compared as texts. */
export type PlanStamp = string;

export type PlanValue = string | number | boolean | null | PlanValue[] | { [key: string]: PlanValue };

/** One written value. A field with several entries was changed concurrently. An entry with a key is an element of the set `field`. */
export interface PlanEntry {
  field: string;
  key?: string;
  stamp: PlanStamp;
  /** `null` for a field that was cleared; `true` for an element that is only a key. */
  value: PlanValue;
}

/** The highest stamp of each replica that a record includes. An entry that is missing although its stamp is covered was removed. */
export type PlanSeen = Record<string, PlanStamp>;

/** A record as it travels. Plain JSON, so that `JSON.stringify` and `JSON.parse` store and load it. */
export interface PlanRecord {
  version: string;
  kind: PlanKind;
  uid: string;
  origin: { project: string; replica: string };
  /** `id` is the number the record was created with: `T042`, `D-007`. Documents and handoffs have none. */
  created: { stamp: PlanStamp; id?: string };
  /** Sorted by field, stamp and key. */
  entries: PlanEntry[];
  seen: PlanSeen;
  /** Keys of the record that a newer minor version added. */
  extra?: { [key: string]: PlanValue };
}

export interface PlanElement {
  key: string;
  value: PlanValue;
}

/** The fields and sets of one record as a store has them. Tasks are referred to by uid. */
export interface PlanState {
  kind: PlanKind;
  uid: string;
  /** The number after resolving collisions: `T043`. */
  id?: string;
  /** Without the fields that are not set. */
  fields: { [field: string]: PlanValue };
  /** Without empty sets. Elements whose value has `at` are ordered by it, others by the time they were added. */
  sets: { [set: string]: PlanElement[] };
  /** Derived from the latest stamp; differences are not edits. */
  updatedAt: string;
  /** The number the record was created with, if another record has it now. */
  renumberedFrom?: string;
  /** Texts that lost against a concurrent change and cannot be notes, because the kind has none. */
  lostTexts?: LostText[];
}

/** Fields of a task: `title`, `description`, `priority`, `size`, `phase`, `assignee` and `due` are texts; `place`, `state`, `creation`
 *  (`{at, by}`) and `verification` are groups that are decided together. */
export interface PlanPlace {
  type: TaskType;
  /** Uid of the parent. */
  parent?: string;
}

/** Fields and sets that this version writes. One that is missing in a store although it is listed was cleared there; others belong to a
 *  newer version and stay. */
export const planFields: Record<PlanKind, { fields: string[]; sets: string[] }> = {
  task: {
    fields: ['title', 'description', 'priority', 'size', 'phase', 'assignee', 'due', 'place', 'state', 'creation', 'verification'],
    sets: ['labels', 'files', 'requires', 'depends', 'relations', 'criteria', 'ticks', 'notes', 'evidence', 'aliases'],
  },
  memory: { fields: ['type', 'title', 'content', 'creation', 'decision', 'source', 'session'], sets: ['tags', 'tasks'] },
  document: { fields: ['type', 'title', 'creation'], sets: ['versions', 'tasks'] },
  handoff: { fields: ['name', 'scope', 'phase', 'creation', 'endedAt', 'note', 'handoff'], sets: [] },
};

/** Keys of the groups of a task; a newer version may add some. */
export const planGroupKeys: Record<string, string[]> = {
  place: ['type', 'parent'],
  state: ['status', 'resolution', 'blockedBy', 'startedAt', 'completedAt', 'archivedAt', 'holder'],
  creation: ['at', 'by'],
};

/** Status and all that a change of the status writes. */
export interface PlanTaskState {
  status: Status;
  resolution?: string;
  blockedBy?: string;
  startedAt?: string;
  completedAt?: string;
  archivedAt?: string;
  /** Holder of an active task. */
  holder?: PlanHolder;
}

interface PlanHolder {
  agent: string;
  replica: string;
  at: string;
}

/** Sets of a task. `labels`, `files` and `requires` are keys only; the key of `depends` is a uid, of `relations` see `toRelationKey`, of
 *  `aliases` see `toAliasKey`. `criteria`, `notes` and `evidence` are keyed by content, `ticks` by the key of their criterion. */
export interface PlanRelation {
  /** Uid of the target. */
  to: string;
  type: RelationType;
  reason: string;
  at: string;
  by: string;
}

export interface PlanAlias {
  tool: string;
  alias: string;
}

export interface LostText {
  field: string;
  text: string;
  stamp: PlanStamp;
}

/** The part of a task record that decides about numbers, containment, dependencies and aliases of the whole plan. Small, so that a store
 *  can hold those of all records next to them and read no other record. */
export interface PlanSummary {
  kind: PlanKind;
  uid: string;
  created: PlanRecord['created'];
  isDeleted?: true;
  type?: TaskType;
  parent?: string;
  placeStamp?: PlanStamp;
  isDone?: true;
  depends?: { on: string; stamp: PlanStamp }[];
  relations?: { key: string; to: string }[];
  aliases?: string[];
}

/** The outcome for one record, to be compared as JSON with the outcome of the last sync: a record needs to be projected again only if it
 *  changed or its outcome did. */
export interface PlanOutcome {
  id?: string;
  renumberedFrom?: string;
  type?: TaskType;
  parent?: string;
  /** A done task that contains an open one. */
  isReopened?: true;
  /** Dependencies that are left out: uids. */
  withoutDepends?: string[];
  /** Keys of relations that are left out. */
  withoutRelations?: string[];
  /** Keys of aliases that belong to another task. */
  withoutAliases?: string[];
}

export const planIssueKinds = [
  'renumbered',
  'cycle',
  'missing-parent',
  'missing-target',
  'tier',
  'reopened',
  'relation-in-family',
  'duplicate-alias',
  'concurrent-text',
  'concurrent-value',
  'concurrent-status',
  'two-holders',
  'revived',
  'undecided',
] as const;
export type PlanIssueKind = (typeof planIssueKinds)[number];

/** One resolution of the merge. `uids[0]` is the record that was changed by it. */
export interface PlanIssue {
  kind: PlanIssueKind;
  recordKind: PlanKind;
  uids: string[];
  message: string;
}

/** The state that the store shall have. */
export interface PlanProjection {
  /** Without deleted records, by `toPlanKey`. */
  states: Map<string, PlanState>;
  /** By `toPlanKey`. */
  outcomes: Map<string, PlanOutcome>;
  /** In the order of kinds, then of uids. */
  issues: PlanIssue[];
}

export interface PlanFileProblem {
  kind: 'conflict-markers' | 'broken' | 'newer-version';
  line: number;
  message: string;
}

export type ParsedPlanFile = { record: PlanRecord; isCanonical: boolean } | { problem: PlanFileProblem };
