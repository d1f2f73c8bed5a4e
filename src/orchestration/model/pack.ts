import { array, type InferOutput, literal, number, optional, strictObject, string, union, unknown } from 'valibot';
import { GateNameSchema, PrioritySchema, StatusSchema, TaskSizeSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { ConfirmationStateSchema, MemoryTypeSchema } from '#memory/model/memory.ts';
import { ResearchStatusSchema } from '#research/model/manifest.ts';
import { NoteSchema, Timestamp } from '#tasks/model/task.ts';

export const TaskRef = strictObject({ id: string(), title: string(), status: StatusSchema });

/** One criterion with its number, or a range such as `4-9` when space is short; `met` is then the number of met criteria. */
const PackCriterion = strictObject({
  n: union([number(), string()]),
  text: optional(string()),
  gate: optional(GateNameSchema),
  target: optional(string()),
  met: optional(union([literal(true), number()])),
});

/** The context an agent needs to work on a task, most important first. A text that was cut ends in `…`. */
export const PackSchema = strictObject({
  task: strictObject({
    id: string(),
    type: TaskTypeSchema,
    title: string(),
    status: StatusSchema,
    priority: PrioritySchema,
    size: optional(TaskSizeSchema),
    phase: optional(string()),
    holder: optional(string()),
    description: optional(string()),
    labels: optional(array(string())),
    files: optional(array(string())),
  }),
  acceptance: optional(array(PackCriterion)),
  /** Open dependencies of the task or of its ancestors, or the stated reason. */
  blockers: optional(array(union([TaskRef, strictObject({ reason: string() })]))),
  /** Nearest ancestor first. */
  parents: optional(array(strictObject({ ...TaskRef.entries, type: TaskTypeSchema }))),
  depends: optional(array(TaskRef)),
  dependents: optional(array(TaskRef)),
  docs: optional(array(strictObject({ slug: string(), kind: string(), title: string() }))),
  /** Entries of the task, then entries of its dependencies. */
  research: optional(
    array(strictObject({ id: string(), title: string(), status: ResearchStatusSchema, findings: optional(array(string())) })),
  ),
  /** Decisions linked to the task, then those that its text cites. */
  decisions: optional(
    array(strictObject({ id: string(), title: string(), state: ConfirmationStateSchema, supersededBy: optional(string()) })),
  ),
  memory: optional(array(strictObject({ id: string(), type: MemoryTypeSchema, title: string(), supersededBy: optional(string()) }))),
  notes: optional(array(NoteSchema)),
  history: optional(
    array(
      strictObject({
        at: Timestamp,
        by: string(),
        field: string(),
        old: optional(unknown()),
        new: optional(unknown()),
        reason: optional(string()),
      }),
    ),
  ),
});
export type Pack = InferOutput<typeof PackSchema>;
export type PackCriterion = InferOutput<typeof PackCriterion>;

/** The lists of a pack in order of importance, including the task's labels and files. */
const packSections = [
  'labels',
  'blockers',
  'parents',
  'depends',
  'dependents',
  'files',
  'docs',
  'research',
  'decisions',
  'memory',
  'notes',
  'history',
] as const;
export type PackSection = (typeof packSections)[number];
