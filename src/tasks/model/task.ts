import {
  array,
  description,
  type GenericSchema,
  type InferOutput,
  literal,
  number,
  optional,
  partial,
  pick,
  picklist,
  pipe,
  strictObject,
  string,
  union,
} from 'valibot';
import {
  type GateName,
  GateNameSchema,
  type Priority,
  PrioritySchema,
  RelationTypeSchema,
  type Resolution,
  ResolutionSchema,
  type Status,
  StatusSchema,
  type TaskId,
  type TaskSize,
  TaskSizeSchema,
  type TaskType,
  TaskTypeSchema,
} from '#core/model/scalars.ts';

export const Timestamp = pipe(string(), description('UTC, ISO 8601'));

/** The id of a task in another tool, or the one it had before it was renumbered (tool `cleo`). */
const TaskAliasSchema = strictObject({ tool: string(), id: string() });

export const NoteSchema = strictObject({ at: Timestamp, by: string(), text: string() });
export const RelationSchema = strictObject({
  taskId: string(),
  type: RelationTypeSchema,
  reason: string(),
  direction: picklist(['to', 'from']),
});

const holderStates = ['present', 'away', 'silent', 'expired'] as const;

/** The holder of a lapsed claim. Who starts the task takes it over from this holder. */
export const TakenOverFrom = optional(string());

/** The holder of a task, and the time at which the lease expires unless the holder writes again. `state` and `lastSeen` are shown
 *  unless the holder is present. */
export const TaskClaimSchema = strictObject({
  agent: string(),
  session: optional(string()),
  since: Timestamp,
  until: Timestamp,
  state: optional(picklist(holderStates)),
  lastSeen: optional(Timestamp),
});

export const AcceptanceSchema = union([
  strictObject({
    kind: literal('text'),
    text: string(),
    met: optional(literal(true)),
    metAt: optional(Timestamp),
    metBy: optional(string()),
  }),
  strictObject({ kind: literal('evidence_bound'), gate: GateNameSchema, met: optional(literal(true)) }),
  strictObject({ kind: literal('child_task'), target: string(), met: optional(literal(true)) }),
]);

export const TaskSchema = strictObject({
  id: string(),
  type: TaskTypeSchema,
  title: string(),
  description: optional(string()),
  status: StatusSchema,
  priority: PrioritySchema,
  size: optional(TaskSizeSchema),
  parentId: optional(string()),
  epicId: optional(string()),
  labels: optional(array(string())),
  phase: optional(string()),
  depends: optional(array(string())),
  blockedBy: optional(string()),
  relations: optional(array(RelationSchema)),
  acceptance: optional(array(AcceptanceSchema)),
  files: optional(array(string())),
  notes: optional(array(NoteSchema)),
  assignee: optional(string()),
  due: optional(string()),
  requires: optional(array(string())),
  resolution: optional(ResolutionSchema),
  uid: string(),
  aliases: optional(array(TaskAliasSchema)),
  createdAt: Timestamp,
  createdBy: string(),
  updatedAt: Timestamp,
  startedAt: optional(Timestamp),
  completedAt: optional(Timestamp),
  archivedAt: optional(Timestamp),
  revision: number(),
});

/** The answer to a write: the identity of the task and the fields that changed. */
export const TaskReceiptSchema = partial(TaskSchema, ['uid', 'priority', 'createdAt', 'createdBy', 'updatedAt', 'revision']);

const hitFields = ['id', 'title', 'status', 'type', 'priority', 'parentId'] as const;
export const TaskHitSchema = pick(TaskSchema, hitFields);
// A constant, because the build keeps a call that contains a spread in every part that imports this file.
const rowFields = [...hitFields, 'resolution', 'description', 'labels', 'depends', 'notes', 'assignee', 'due'] as const;
/** `assignee`, `due` and `resolution` are in a row only if the task has them, and the resolution only if it is not `done`. */
export const TaskRowSchema = pick(TaskSchema, rowFields);

/** A recommended or suggested task; the points of its reasons add up to the score. */
export const ScoredTaskSchema = strictObject({
  taskId: string(),
  title: string(),
  score: number(),
  reasons: array(strictObject({ term: string(), points: number() })),
});

/** A lifecycle stage whose tasks are all done. */
export const StageReadySchema = strictObject({ epicId: string(), stage: string(), command: string() });

export type Task = InferOutput<typeof TaskSchema>;
export type TaskAlias = InferOutput<typeof TaskAliasSchema>;
export type TaskReceipt = InferOutput<typeof TaskReceiptSchema>;
export type TaskHit = InferOutput<typeof TaskHitSchema>;
export type TaskRow = InferOutput<typeof TaskRowSchema>;
export type ScoredTask = InferOutput<typeof ScoredTaskSchema>;
export type Note = InferOutput<typeof NoteSchema>;
export type Relation = InferOutput<typeof RelationSchema>;
export type TaskClaim = InferOutput<typeof TaskClaimSchema>;
export type HolderState = (typeof holderStates)[number];
export type Acceptance = InferOutput<typeof AcceptanceSchema>;

/** Keeps a result key present when there is no task: its value is then `{}`. */
export const allowEmpty = <S extends GenericSchema>(schema: S) => union([schema, strictObject({})]);

/** A stored criterion. `child_task` criteria follow from `parentId` and are never stored. */
export interface StoredCriterion {
  kind: 'text' | 'evidence_bound';
  text?: string;
  gate?: GateName;
  metAt?: string;
  metBy?: string;
}

/** A stored task. Notes and relations have tables of their own: any agent appends them, and changing a task with a thousand notes must
 *  stay cheap. */
export interface TaskRecord {
  id: TaskId;
  type: TaskType;
  title: string;
  description?: string;
  status: Status;
  priority: Priority;
  size?: TaskSize;
  parentId?: TaskId;
  labels: string[];
  phase?: string;
  depends: TaskId[];
  blockedBy?: string;
  acceptance: StoredCriterion[];
  files: string[];
  assignee?: string;
  /** A date such as 2026-01-31. */
  due?: string;
  /** Absent if empty, as `aliases`. */
  requires?: string[];
  /** Set while the task is done. */
  resolution?: Resolution;
  uid: string;
  aliases?: TaskAlias[];
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  startedAt?: string;
  completedAt?: string;
  archivedAt?: string;
  revision: number;
}
