import {
  array,
  description,
  type GenericSchema,
  type InferOutput,
  literal,
  metadata,
  number,
  optional,
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
  GateName,
  Label,
  NoteText,
  Phase,
  Priority,
  RelationType,
  Status,
  TaskId,
  TaskSize,
  TaskType,
  Title,
} from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';

export const Timestamp = pipe(string(), description('UTC, ISO 8601'));

export const Note = strictObject({ at: Timestamp, by: string(), text: string() });
export const Relation = strictObject({ taskId: string(), type: RelationType, reason: string(), direction: picklist(['to', 'from']) });

/** The holder of a task, and the time at which the lease expires unless the holder writes again. */
export const TaskClaim = strictObject({ agent: string(), session: optional(string()), since: Timestamp, until: Timestamp });

export const Acceptance = union([
  strictObject({
    kind: literal('text'),
    text: string(),
    met: optional(literal(true)),
    metAt: optional(Timestamp),
    metBy: optional(string()),
  }),
  strictObject({ kind: literal('evidence_bound'), gate: GateName, met: optional(literal(true)) }),
  strictObject({ kind: literal('child_task'), target: string(), met: optional(literal(true)) }),
]);

/** A criterion as callers write it; a plain string is a text criterion. */
export const AcceptanceInput = union([
  Criterion,
  strictObject({ kind: literal('evidence_bound'), gate: GateName }),
  strictObject({ kind: literal('text'), text: Criterion }),
]);

export const Task = strictObject({
  id: string(),
  type: TaskType,
  title: string(),
  description: optional(string()),
  status: Status,
  priority: Priority,
  size: optional(TaskSize),
  parentId: optional(string()),
  epicId: optional(string()),
  labels: optional(array(string())),
  phase: optional(string()),
  depends: optional(array(string())),
  blockedBy: optional(string()),
  relations: optional(array(Relation)),
  acceptance: optional(array(Acceptance)),
  files: optional(array(string())),
  notes: optional(array(Note)),
  createdAt: Timestamp,
  createdBy: string(),
  updatedAt: Timestamp,
  startedAt: optional(Timestamp),
  completedAt: optional(Timestamp),
  archivedAt: optional(Timestamp),
  revision: number(),
});

/** The answer to a write: the identity of the task and the fields that changed. */
export const TaskReceipt = strictObject({
  ...Task.entries,
  priority: optional(Priority),
  createdAt: optional(Timestamp),
  createdBy: optional(string()),
  updatedAt: optional(Timestamp),
  revision: optional(number()),
});

export const TaskHit = strictObject({
  id: string(),
  title: string(),
  status: Status,
  type: TaskType,
  priority: Priority,
  parentId: optional(string()),
});

export const TaskRow = strictObject({
  ...TaskHit.entries,
  description: optional(string()),
  labels: optional(array(string())),
  depends: optional(array(string())),
  notes: optional(array(Note)),
});

export type Task = InferOutput<typeof Task>;
export type TaskReceipt = InferOutput<typeof TaskReceipt>;
export type TaskHit = InferOutput<typeof TaskHit>;
export type TaskRow = InferOutput<typeof TaskRow>;
export type Note = InferOutput<typeof Note>;
export type Relation = InferOutput<typeof Relation>;
export type TaskClaim = InferOutput<typeof TaskClaim>;
export type Acceptance = InferOutput<typeof Acceptance>;
export type AcceptanceInput = InferOutput<typeof AcceptanceInput>;

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
  parent: optional(pipe(TaskId, description('Parent task, epic or saga'))),
  type: optional(pipe(TaskType, description('Tier; default: the tier below the parent'))),
  depends: optional(pipe(array(TaskId), description('Tasks that must be done before this one'))),
  priority: optional(pipe(Priority, description('Urgency'))),
  size: optional(pipe(TaskSize, description('Size relative to other tasks'))),
  labels: optional(pipe(array(Label), description('Labels of a-z 0-9 . _ : / -, at most 50 characters each'))),
  phase: optional(Phase),
  files: optional(pipe(array(FilePath), description('Files it touches, relative to the project root'))),
  acceptance: optional(
    pipe(
      array(AcceptanceInput),
      description('Acceptance criteria, separated by |; in JSON also {"kind":"evidence_bound","gate":…}'),
      metadata({ separator: '|' }),
    ),
  ),
  acceptEvidence: optional(pipe(array(GateName), description('Gates that need evidence before completion'))),
  notes: optional(NoteText),
};

export const taskInput = { title: Title, ...taskFields };

export type TaskFields = { [K in keyof typeof taskFields]?: InferOutput<(typeof taskFields)[K]> };

export const Revision = wholeNumber({ min: 1 });
