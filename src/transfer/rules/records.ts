import type { TaskId, TaskType } from '#core/model/scalars.ts';
import { toUid } from '#core/rules/uid.ts';
import { defined } from '#lib/defined.ts';
import { sha256 } from '#lib/sha256.ts';
import type { Note, StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { ComparedField, NormalizedTask } from './normalize-task.ts';

/** Position and dependencies of a task after the import. */
export interface ImportPlacement {
  type: TaskType;
  parentId?: TaskId;
  depends: TaskId[];
  /** The file says done, but an open task is inside it. */
  isReopened: boolean;
}

/** The uid follows from the source and its id, so that two clones that import the same file create the same tasks. */
export function createRecord(
  id: TaskId,
  source: string,
  task: NormalizedTask,
  placement: ImportPlacement,
  now: string,
  agent: string,
): TaskRecord {
  const createdAt = task.createdAt ?? findEarliest([task.startedAt, task.completedAt, task.updatedAt]) ?? now;
  const updatedAt = task.updatedAt ?? task.completedAt ?? createdAt;
  return {
    id,
    type: placement.type,
    title: task.title,
    ...defined({ description: task.description, parentId: placement.parentId }),
    ...toStatusFields(task, placement, updatedAt),
    priority: task.priority,
    labels: task.labels,
    depends: placement.depends,
    acceptance: toTextCriteria(task, updatedAt, agent),
    files: task.files,
    uid: toUid(task.createdAt ?? '', sha256(`${source}\n${task.id}`).slice(0, 12)),
    createdAt,
    createdBy: task.createdBy ?? agent,
    updatedAt,
    revision: 1,
  };
}

/** Applies the fields that changed in the source. `placement.depends` already includes dependencies that were added locally. */
export function mergeRecord(
  before: TaskRecord,
  task: NormalizedTask,
  changed: Set<ComparedField>,
  placement: ImportPlacement,
  takesStatus: boolean,
  at: { now: string; agent: string },
): TaskRecord {
  const { description, parentId: _, ...rest } = before;
  const { blockedBy: __, startedAt, completedAt: ___, archivedAt: ____, resolution: _____, ...stateless } = rest;
  const state = takesStatus
    ? toStatusFields({ ...task, ...defined({ startedAt: startedAt ?? task.startedAt }) }, placement, at.now)
    : defined({ status: 'pending' as const, startedAt });
  return {
    ...(takesStatus || placement.isReopened ? { ...stateless, ...state } : rest),
    ...defined({ description: changed.has('description') ? task.description : description, parentId: placement.parentId }),
    title: changed.has('title') ? task.title : before.title,
    priority: changed.has('priority') ? task.priority : before.priority,
    labels: changed.has('labels') ? task.labels : before.labels,
    files: changed.has('files') ? task.files : before.files,
    acceptance: changed.has('acceptance')
      ? [...toTextCriteria(task, at.now, at.agent), ...before.acceptance.filter(({ kind }) => kind !== 'text')]
      : before.acceptance,
    type: placement.type,
    depends: placement.depends,
  };
}

/** Moves a stored task that did not change in the source, but whose placement changes because of other tasks of the file. */
export function applyPlacement(before: TaskRecord, placement: ImportPlacement): TaskRecord {
  const { type, parentId, depends, isReopened } = placement;
  const { parentId: _, completedAt, archivedAt, resolution, ...rest } = before;
  return {
    ...rest,
    ...(isReopened ? { status: 'pending' } : defined({ completedAt, archivedAt, resolution })),
    ...defined({ type, parentId, depends }),
  };
}

export const listNewNotes = (task: NormalizedTask, storedNotes: Note[], now: string, agent: string): Note[] => {
  const texts = new Set(storedNotes.map(({ text }) => text));
  return task.notes
    .filter(({ text }) => !texts.has(text))
    .map(({ at, by, text }) => ({ at: at ?? task.updatedAt ?? task.createdAt ?? now, by: by ?? agent, text }));
};

type StatusFields = Pick<TaskRecord, 'status' | 'blockedBy' | 'startedAt' | 'completedAt' | 'archivedAt' | 'resolution'>;

function toStatusFields(task: NormalizedTask, { isReopened }: ImportPlacement, at: string): StatusFields {
  const { status, blockedBy } = task;
  const startedAt = task.startedAt ?? (status === 'active' ? at : undefined);
  if (isReopened) return defined({ status: 'pending' as const, startedAt });
  if (status !== 'done') return defined({ status, blockedBy, startedAt });
  const completedAt = task.completedAt ?? at;
  return defined({ status, resolution: 'done' as const, startedAt, completedAt, archivedAt: task.isArchived ? completedAt : undefined });
}

const toTextCriteria = (task: NormalizedTask, at: string, by: string): StoredCriterion[] =>
  task.acceptance.map(({ text, met }) => ({ kind: 'text', text, ...(met ? { metAt: task.completedAt ?? at, metBy: by } : {}) }));

const findEarliest = (times: (string | undefined)[]): string | undefined => times.filter((time) => time !== undefined).sort()[0];
