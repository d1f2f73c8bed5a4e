import { array, type InferOutput, literal, number, optional, strictObject, string, union, unknown } from 'valibot';
import { Gate, Priority, Size, Status, TaskType } from '#core/model/scalars.ts';
import { ConfirmationState, MemoryType } from '#memory/model/memory.ts';
import { ResearchStatus } from '#research/model/manifest.ts';
import { Note, Timestamp } from '#tasks/model/task.ts';

const Kin = strictObject({ id: string(), title: string(), status: Status });

/** One criterion with its number; or several in a row, `4-9`, where there is no room for each: `met` then tells how many of them are. */
const PackCriterion = strictObject({
  n: union([number(), string()]),
  text: optional(string()),
  gate: optional(Gate),
  target: optional(string()),
  met: optional(union([literal(true), number()])),
});

/** What an agent has to know to work on a task, the most important first. A text that is cut ends in `…`. */
export const Pack = strictObject({
  task: strictObject({
    id: string(),
    type: TaskType,
    title: string(),
    status: Status,
    priority: Priority,
    size: optional(Size),
    phase: optional(string()),
    holder: optional(string()),
    description: optional(string()),
    labels: optional(array(string())),
    files: optional(array(string())),
  }),
  acceptance: optional(array(PackCriterion)),
  /** What has to be done before, of its own or of what it is part of; or the reason that somebody wrote. */
  blockers: optional(array(union([Kin, strictObject({ reason: string() })]))),
  /** What it is part of, the nearest first. */
  parents: optional(array(strictObject({ ...Kin.entries, type: TaskType }))),
  depends: optional(array(Kin)),
  dependents: optional(array(Kin)),
  docs: optional(array(strictObject({ slug: string(), kind: string(), title: string() }))),
  /** Of it, then of what it builds on. */
  research: optional(array(strictObject({ id: string(), title: string(), status: ResearchStatus, findings: optional(array(string())) }))),
  /** What is known of it, or named in its text; decisions first. */
  decisions: optional(array(strictObject({ id: string(), title: string(), state: ConfirmationState, supersededBy: optional(string()) }))),
  memory: optional(array(strictObject({ id: string(), type: MemoryType, title: string(), supersededBy: optional(string()) }))),
  notes: optional(array(Note)),
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
export type Pack = InferOutput<typeof Pack>;
export type PackCriterion = InferOutput<typeof PackCriterion>;

/** The lists of a pack, in order of importance; a task's labels and files among them. */
export const packSections = [
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
