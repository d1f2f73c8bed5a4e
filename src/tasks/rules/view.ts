import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { Acceptance, Note, Relation, StoredCriterion, Task, TaskHit, TaskReceipt, TaskRecord, TaskRow } from '../model/task.ts';

interface Kin {
  id: TaskId;
  type: TaskType;
  status: Status;
}

interface Around {
  /** The task itself first, then its parents. */
  ancestry: Kin[];
  children: Kin[];
  notes: Note[];
  relations: Relation[];
}

/** Everything about a task; what is empty is left out. */
export function wholeTask(task: TaskRecord, around: Around): Task {
  const epicId = around.ancestry.slice(1).find((kin) => kin.type === 'epic')?.id;
  const acceptance = [...task.acceptance.map(shownCriterion), ...around.children.map(childCriterion)];
  return {
    id: task.id,
    type: task.type,
    title: task.title,
    ...(task.description === undefined ? {} : { description: task.description }),
    status: task.status,
    priority: task.priority,
    ...(task.size ? { size: task.size } : {}),
    ...(task.parentId ? { parentId: task.parentId } : {}),
    ...(epicId ? { epicId } : {}),
    ...some('labels', task.labels),
    ...(task.phase ? { phase: task.phase } : {}),
    ...some('depends', task.depends),
    ...(task.blockedBy ? { blockedBy: task.blockedBy } : {}),
    ...some('relations', around.relations),
    ...some('acceptance', acceptance),
    ...some('files', task.files),
    ...some('notes', around.notes),
    createdAt: task.createdAt,
    createdBy: task.createdBy,
    updatedAt: task.updatedAt,
    ...(task.startedAt ? { startedAt: task.startedAt } : {}),
    ...(task.completedAt ? { completedAt: task.completedAt } : {}),
    ...(task.archivedAt ? { archivedAt: task.archivedAt } : {}),
    revision: task.revision,
  };
}

/** The answer to a write: the identity and what changed. */
export function receiptOf(task: TaskRecord, changed: (keyof TaskRecord)[] = []): TaskReceipt {
  const identity = {
    id: task.id,
    title: task.title,
    status: task.status,
    type: task.type,
    ...(task.parentId ? { parentId: task.parentId } : {}),
  };
  const more: Record<string, unknown> = {};
  for (const field of changed) {
    const value = field === 'acceptance' ? task.acceptance.map(shownCriterion) : task[field];
    if (value !== undefined && !(field in identity)) more[field] = value;
  }
  return { ...identity, ...more };
}

/** The fields in which two records differ, apart from the book-keeping. */
export function changedFields(before: TaskRecord, after: TaskRecord): (keyof TaskRecord)[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof TaskRecord)[]);
  return [...keys].filter((key) => key !== 'updatedAt' && key !== 'revision' && JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

export const hitOf = (task: TaskHit | TaskRecord): TaskHit => ({
  id: task.id,
  title: task.title,
  status: task.status,
  type: task.type,
  priority: task.priority,
  ...(task.parentId ? { parentId: task.parentId } : {}),
});

export const rowOf = (task: TaskRecord, notes: Note[]): TaskRow => ({
  ...hitOf(task),
  ...(task.description === undefined ? {} : { description: task.description }),
  ...some('labels', task.labels),
  ...some('depends', task.depends),
  ...some('notes', notes),
});

export function shownCriterion(c: StoredCriterion): Acceptance {
  if (c.kind === 'evidence_bound') return { kind: 'evidence_bound', gate: c.gate!, ...(c.metAt ? { met: true as const } : {}) };
  return {
    kind: 'text',
    text: c.text ?? '',
    ...(c.metAt ? { met: true as const, metAt: c.metAt, ...(c.metBy ? { metBy: c.metBy } : {}) } : {}),
  };
}

const childCriterion = (child: Kin): Acceptance => ({
  kind: 'child_task',
  target: child.id,
  ...(child.status === 'done' ? { met: true as const } : {}),
});

const some = <K extends string, T>(key: K, items: T[]): { [P in K]?: T[] } =>
  items.length ? ({ [key]: items } as { [P in K]?: T[] }) : {};
