import {
  array,
  description,
  type GenericSchema,
  type InferOutput,
  literal,
  metadata,
  number,
  optional,
  pick,
  picklist,
  pipe,
  strictObject,
  string,
  union,
} from 'valibot';
import {
  Criterion,
  Description,
  FilePath,
  type GateName,
  GateNameSchema,
  Label,
  NoteText,
  Phase,
  type Priority,
  PrioritySchema,
  RelationTypeSchema,
  type Status,
  StatusSchema,
  type TaskId,
  TaskIdSchema,
  type TaskSize,
  TaskSizeSchema,
  type TaskType,
  TaskTypeSchema,
  Title,
} from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';

export const Timestamp = pipe(string(), description('UTC, ISO 8601'));

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

/** A criterion as callers write it; a plain string is a text criterion. */
const AcceptanceInputSchema = union([
  Criterion,
  strictObject({ kind: literal('evidence_bound'), gate: GateNameSchema }),
  strictObject({ kind: literal('text'), text: Criterion }),
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
  createdAt: Timestamp,
  createdBy: string(),
  updatedAt: Timestamp,
  startedAt: optional(Timestamp),
  completedAt: optional(Timestamp),
  archivedAt: optional(Timestamp),
  revision: number(),
});

/** The answer to a write: the identity of the task and the fields that changed. */
export const TaskReceiptSchema = strictObject({
  ...TaskSchema.entries,
  priority: optional(PrioritySchema),
  createdAt: optional(Timestamp),
  createdBy: optional(string()),
  updatedAt: optional(Timestamp),
  revision: optional(number()),
});

const hitFields = ['id', 'title', 'status', 'type', 'priority', 'parentId'] as const;
export const TaskHitSchema = pick(TaskSchema, hitFields);
export const TaskRowSchema = pick(TaskSchema, [...hitFields, 'description', 'labels', 'depends', 'notes']);

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
export type TaskReceipt = InferOutput<typeof TaskReceiptSchema>;
export type TaskHit = InferOutput<typeof TaskHitSchema>;
export type TaskRow = InferOutput<typeof TaskRowSchema>;
export type ScoredTask = InferOutput<typeof ScoredTaskSchema>;
export type Note = InferOutput<typeof NoteSchema>;
export type Relation = InferOutput<typeof RelationSchema>;
export type TaskClaim = InferOutput<typeof TaskClaimSchema>;
export type HolderState = (typeof holderStates)[number];
export type Acceptance = InferOutput<typeof AcceptanceSchema>;
export type AcceptanceInput = InferOutput<typeof AcceptanceInputSchema>;

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
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  startedAt?: string;
  completedAt?: string;
  archivedAt?: string;
  revision: number;
}

/** Parameters shared by `add`, `add-batch` and `update`. */
export const taskFields = {
  description: optional(Description),
  parent: optional(pipe(TaskIdSchema, description('Parent task, epic or saga'))),
  type: optional(pipe(TaskTypeSchema, description('Tier; default: the tier below the parent'))),
  depends: optional(pipe(array(TaskIdSchema), description('Tasks that must be done before this one'))),
  priority: optional(pipe(PrioritySchema, description('Urgency'))),
  size: optional(pipe(TaskSizeSchema, description('Size relative to other tasks'))),
  labels: optional(pipe(array(Label), description('Labels of a-z 0-9 . _ : / -, at most 50 characters each'))),
  phase: optional(Phase),
  files: optional(pipe(array(FilePath), description('Files it touches, relative to the project root'))),
  acceptance: optional(
    pipe(
      array(AcceptanceInputSchema),
      description('Acceptance criteria, separated by |; in JSON also {"kind":"evidence_bound","gate":…}'),
      metadata({ separator: '|' }),
    ),
  ),
  acceptEvidence: optional(pipe(array(GateNameSchema), description('Gates that need evidence before completion'))),
  notes: optional(NoteText),
};

export const taskInput = { title: Title, ...taskFields };

export type TaskFields = { [K in keyof typeof taskFields]?: InferOutput<(typeof taskFields)[K]> };

export const Revision = wholeNumber({ min: 1 });
