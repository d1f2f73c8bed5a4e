import { array, type InferOutput, number, optional, picklist, strictObject, string } from 'valibot';
import { TaskTypeSchema } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';

/** Steps in the order they run. Each is recorded before it starts and when it is done, so that a failed ship can be resumed. */
export const ReleaseStepNameSchema = picklist(['gates', 'changelog', 'bump', 'commit', 'tag', 'push']);
export type ReleaseStepName = InferOutput<typeof ReleaseStepNameSchema>;

const ReleaseStepSchema = strictObject({
  step: ReleaseStepNameSchema,
  state: picklist(['begun', 'done']),
  at: Timestamp,
  /** Result of the step as text. */
  what: optional(string()),
});

const Digest = strictObject({ name: string(), sha256: string() });

/** Origin of a release: its commit, tree, tasks and artifact hashes. */
const ProvenanceSchema = strictObject({
  commit: string(),
  tree: string(),
  tasks: array(string()),
  artifacts: array(Digest),
});

const ReleaseStatus = picklist(['created', 'shipping', 'shipped']);

export const ReleaseRowSchema = strictObject({
  version: string(),
  status: ReleaseStatus,
  epicId: optional(string()),
  taskCount: number(),
  createdAt: Timestamp,
  createdBy: string(),
  shippedAt: optional(Timestamp),
  commit: optional(string()),
  tag: optional(string()),
});

const { taskCount: _, ...fields } = ReleaseRowSchema.entries;

export const ReleaseSchema = strictObject({
  ...fields,
  tasks: array(strictObject({ id: string(), title: optional(string()), type: optional(TaskTypeSchema) })),
  steps: array(ReleaseStepSchema),
  provenance: optional(ProvenanceSchema),
});

export type ReleaseStep = InferOutput<typeof ReleaseStepSchema>;
export type Provenance = InferOutput<typeof ProvenanceSchema>;
export type Release = InferOutput<typeof ReleaseSchema>;

/** A release as it is stored; its tasks are stored separately. */
export interface ReleaseRecord extends Omit<Release, 'tasks'> {
  /** Entries of the changelog section without the heading, because the date is set when it ships. */
  changelog: string;
}
