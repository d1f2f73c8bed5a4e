import {
  array,
  description,
  type GenericSchema,
  type InferOutput,
  integer,
  literal,
  metadata,
  minValue,
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
  Gate,
  Label,
  NoteText,
  Phase,
  Priority,
  RelationType,
  Size,
  Status,
  TaskId,
  TaskType,
  Title,
} from '#core/model/scalars.ts';

export const Timestamp = pipe(string(), description('UTC, ISO 8601'));

export const Note = strictObject({ at: Timestamp, by: string(), text: string() });
export const Relation = strictObject({ taskId: string(), type: RelationType, reason: string(), direction: picklist(['to', 'from']) });

/** Who holds a task, and until when, if nothing more is heard of them. */
export const TaskClaim = strictObject({ agent: string(), session: optional(string()), since: Timestamp, until: Timestamp });

export const Acceptance = union([
  strictObject({
    kind: literal('text'),
    text: string(),
    met: optional(literal(true)),
    metAt: optional(Timestamp),
    metBy: optional(string()),
  }),
  strictObject({ kind: literal('evidence_bound'), gate: Gate, met: optional(literal(true)) }),
  strictObject({ kind: literal('child_task'), target: string(), met: optional(literal(true)) }),
]);

/** What a caller writes: a plain string is a text criterion. */
export const AcceptanceInput = union([
  Criterion,
  strictObject({ kind: literal('evidence_bound'), gate: Gate }),
  strictObject({ kind: literal('text'), text: Criterion }),
]);

export const Task = strictObject({
  id: string(),
  type: TaskType,
  title: string(),
  description: optional(string()),
  status: Status,
  priority: Priority,
  size: optional(Size),
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

/** The answer to a write: the identity, and of the rest only what changed. */
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

/** A result key is there even when there is nothing to put in it. */
export const NoTaskOr = <S extends GenericSchema>(schema: S) => union([schema, strictObject({})]);

/** A criterion as it is stored; `child_task` ones follow from `parentId` and are never stored. */
export interface StoredCriterion {
  kind: 'text' | 'evidence_bound';
  text?: string;
  gate?: Gate;
  metAt?: string;
  metBy?: string;
}

/** A task as the store keeps it. Notes and relations live beside it: they are appended by anyone, and a record with a thousand notes must stay cheap to change. */
export interface TaskRecord {
  id: TaskId;
  type: TaskType;
  title: string;
  description?: string;
  status: Status;
  priority: Priority;
  size?: Size;
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

/** What can be said of a task when it is made; shared by add, add-batch and, but for the title, update. */
export const taskFields = {
  description: optional(Description),
  parent: optional(pipe(TaskId, description('Task, epic or saga it is part of'))),
  type: optional(pipe(TaskType, description('Tier; follows from the parent when left out'))),
  depends: optional(pipe(array(TaskId), description('Tasks that must be done before this one'))),
  priority: optional(pipe(Priority, description('How urgent'))),
  size: optional(pipe(Size, description('How big, relative to other tasks'))),
  labels: optional(pipe(array(Label), description('Labels, each of a-z 0-9 . _ : / - and at most 50 long'))),
  phase: optional(Phase),
  files: optional(pipe(array(FilePath), description('Files it touches, relative to the project'))),
  acceptance: optional(
    pipe(
      array(AcceptanceInput),
      description('Acceptance criteria, with | between them; in JSON also {"kind":"evidence_bound","gate":…}'),
      metadata({ separator: '|' }),
    ),
  ),
  acceptEvidence: optional(pipe(array(Gate), description('Gates whose evidence completion needs'))),
  notes: optional(NoteText),
};

export const taskInput = { title: Title, ...taskFields };

export type TaskFields = { [K in keyof typeof taskFields]?: InferOutput<(typeof taskFields)[K]> };

export const Revision = pipe(number(), integer('must be a whole number'), minValue(1, 'must be at least 1'));
