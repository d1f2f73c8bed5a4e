import { array, type InferOutput, number, optional, picklist, strictObject, string } from 'valibot';
import { TaskType } from '#core/model/scalars.ts';
import { Timestamp } from '#tasks/model/task.ts';

/** Steps in the order they run. Each is recorded before it starts and when it is done, so that a failed ship can be resumed. */
export const ReleaseStepName = picklist(['gates', 'changelog', 'bump', 'commit', 'tag', 'push']);
export type ReleaseStepName = InferOutput<typeof ReleaseStepName>;

export const ReleaseStep = strictObject({
  step: ReleaseStepName,
  state: picklist(['begun', 'done']),
  at: Timestamp,
  /** Result of the step as text. */
  what: optional(string()),
});

const Digest = strictObject({ name: string(), sha256: string() });

/** Origin of a release: its commit, tree, tasks and artifact hashes. */
export const Provenance = strictObject({
  commit: string(),
  tree: string(),
  tasks: array(string()),
  artifacts: array(Digest),
});

const ReleaseStatus = picklist(['created', 'shipping', 'shipped']);

export const ReleaseRow = strictObject({
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

const { taskCount: _, ...fields } = ReleaseRow.entries;

export const Release = strictObject({
  ...fields,
  tasks: array(strictObject({ id: string(), title: optional(string()), type: optional(TaskType) })),
  steps: array(ReleaseStep),
  provenance: optional(Provenance),
});

export type ReleaseStep = InferOutput<typeof ReleaseStep>;
export type Provenance = InferOutput<typeof Provenance>;
export type ReleaseRow = InferOutput<typeof ReleaseRow>;
export type Release = InferOutput<typeof Release>;

/** A release as it is stored; its tasks are stored separately. */
export interface ReleaseRecord extends Omit<Release, 'tasks'> {
  /** Entries of the changelog section without the heading, because the date is set when it ships. */
  changelog: string;
}
