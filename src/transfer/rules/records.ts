import type { TaskId, TaskType } from '#core/model/scalars.ts';
import type { Note, StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { Field } from './changes.ts';
import type { Fitted } from './fit.ts';

/** Where a task stands once everything is in. */
export interface Standing {
  type: TaskType;
  parentId?: TaskId;
  depends: TaskId[];
  /** It is not done, whatever the file says: something inside it is open. */
  isReopened: boolean;
}

export function bornAs(id: TaskId, task: Fitted, standing: Standing, now: string, agent: string): TaskRecord {
  const createdAt = task.createdAt ?? earliest([task.startedAt, task.completedAt, task.updatedAt]) ?? now;
  const updatedAt = task.updatedAt ?? task.completedAt ?? createdAt;
  return {
    id,
    type: standing.type,
    title: task.title,
    ...(task.description ? { description: task.description } : {}),
    ...stateOf(task, standing, updatedAt),
    priority: task.priority,
    ...(standing.parentId ? { parentId: standing.parentId } : {}),
    labels: task.labels,
    depends: standing.depends,
    acceptance: criteriaOf(task, updatedAt, agent),
    files: task.files,
    createdAt,
    createdBy: task.createdBy ?? agent,
    updatedAt,
    revision: 1,
  };
}

/** The record with what changed over there. Depends that were added here on other tasks are in `standing` already. */
export function updatedTo(
  before: TaskRecord,
  task: Fitted,
  changed: Set<Field>,
  standing: Standing,
  takesState: boolean,
  at: { now: string; agent: string },
): TaskRecord {
  const { description, parentId: _, ...rest } = before;
  const { blockedBy: __, startedAt, completedAt: ___, archivedAt: ____, ...stateless } = rest;
  const told = changed.has('description') ? task.description : description;
  const begun = startedAt ?? task.startedAt;
  const state = takesState
    ? stateOf({ ...task, startedAt: begun }, standing, at.now)
    : { status: 'pending' as const, ...(startedAt ? { startedAt } : {}) };
  return {
    ...(takesState || standing.isReopened ? { ...stateless, ...state } : rest),
    ...(told ? { description: told } : {}),
    title: changed.has('title') ? task.title : before.title,
    priority: changed.has('priority') ? task.priority : before.priority,
    labels: changed.has('labels') ? task.labels : before.labels,
    files: changed.has('files') ? task.files : before.files,
    acceptance: changed.has('acceptance')
      ? [...criteriaOf(task, at.now, at.agent), ...before.acceptance.filter(({ kind }) => kind !== 'text')]
      : before.acceptance,
    type: standing.type,
    ...(standing.parentId ? { parentId: standing.parentId } : {}),
    depends: standing.depends,
  };
}

/** A task that the file does not touch itself, but what the file brings does. */
export function shifted(before: TaskRecord, standing: Standing): TaskRecord {
  const { parentId: _, completedAt, archivedAt, ...rest } = before;
  const ended = standing.isReopened
    ? { status: 'pending' as const }
    : { ...(completedAt ? { completedAt } : {}), ...(archivedAt ? { archivedAt } : {}) };
  return {
    ...rest,
    ...ended,
    type: standing.type,
    ...(standing.parentId ? { parentId: standing.parentId } : {}),
    depends: standing.depends,
  };
}

export const notesOf = (task: Fitted, had: Note[], now: string, agent: string): Note[] => {
  const texts = new Set(had.map(({ text }) => text));
  return task.notes
    .filter(({ text }) => !texts.has(text))
    .map(({ at, by, text }) => ({ at: at ?? task.updatedAt ?? task.createdAt ?? now, by: by ?? agent, text }));
};

type State = Pick<TaskRecord, 'status' | 'blockedBy' | 'startedAt' | 'completedAt' | 'archivedAt'>;
type Told = Omit<Fitted, 'startedAt'> & { startedAt?: string | undefined };

function stateOf(task: Told, { isReopened }: Standing, at: string): State {
  const started = task.startedAt ?? (task.status === 'active' ? at : undefined);
  const begun = started ? { startedAt: started } : {};
  if (isReopened) return { status: 'pending', ...begun };
  if (task.status !== 'done') return { status: task.status, ...(task.blockedBy ? { blockedBy: task.blockedBy } : {}), ...begun };
  const completedAt = task.completedAt ?? at;
  return { status: 'done', ...begun, completedAt, ...(task.isArchived ? { archivedAt: completedAt } : {}) };
}

const criteriaOf = (task: Fitted, at: string, by: string): StoredCriterion[] =>
  task.acceptance.map(({ text, met }) => ({ kind: 'text', text, ...(met ? { metAt: task.completedAt ?? at, metBy: by } : {}) }));

const earliest = (times: (string | undefined)[]): string | undefined => times.filter((time) => time !== undefined).sort()[0];
