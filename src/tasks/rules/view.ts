import { defined } from '#lib/collections.ts';
import type { Acceptance, Note, Relation, StoredCriterion, Task, TaskHit, TaskReceipt, TaskRecord, TaskRow } from '../model/task.ts';

type Relative = Pick<Task, 'id' | 'type' | 'status'>;

interface TaskSurroundings {
  /** The task itself, then its ancestors. */
  ancestry: Relative[];
  children: Relative[];
  notes: Note[];
  relations: Relation[];
}

/** Builds the full form of a task; empty fields are left out. */
export function toTask(task: TaskRecord, { ancestry, children, notes, relations }: TaskSurroundings): Task {
  const { id, type, title, description, status, priority, size, parentId, phase } = task;
  const { assignee, due, requires, resolution, uid, aliases } = task;
  const { createdAt, createdBy, updatedAt, startedAt, completedAt, archivedAt, revision } = task;
  return defined({
    id,
    type,
    title,
    description,
    status,
    priority,
    size,
    parentId,
    epicId: ancestry.slice(1).find(({ type }) => type === 'epic')?.id,
    labels: dropEmpty(task.labels),
    phase,
    depends: dropEmpty(task.depends),
    blockedBy: task.blockedBy || undefined,
    relations: dropEmpty(relations),
    acceptance: dropEmpty([...task.acceptance.map(toAcceptance), ...children.map(toChildAcceptance)]),
    files: dropEmpty(task.files),
    notes: dropEmpty(notes),
    assignee,
    due,
    requires,
    resolution,
    uid,
    aliases,
    createdAt,
    createdBy,
    updatedAt,
    startedAt,
    completedAt,
    archivedAt,
    revision,
  });
}

export function toTaskReceipt(task: TaskRecord, changed: (keyof TaskRecord)[] = []): TaskReceipt {
  const { id, title, status, type, parentId } = task;
  const receipt: TaskReceipt = parentId === undefined ? { id, title, status, type } : { id, title, status, type, parentId };
  for (const field of changed) {
    const value = field === 'acceptance' ? task.acceptance.map(toAcceptance) : task[field];
    if (value !== undefined && !(field in receipt)) Object.assign(receipt, { [field]: value });
  }
  return receipt;
}

/** Lists the fields that differ, except `updatedAt` and `revision`. */
export function listChangedFields(before: TaskRecord, after: TaskRecord): (keyof TaskRecord)[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof TaskRecord)[]);
  return [...keys].filter((key) => key !== 'updatedAt' && key !== 'revision' && JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

export const toTaskHit = ({ id, title, status, type, priority, parentId }: TaskHit | TaskRecord): TaskHit =>
  defined({ id, title, status, type, priority, parentId });

export const toTaskRow = (task: TaskRecord, notes: Note[]): TaskRow => ({
  ...toTaskHit(task),
  ...defined({
    resolution: task.resolution === 'done' ? undefined : task.resolution,
    description: task.description,
    labels: dropEmpty(task.labels),
    depends: dropEmpty(task.depends),
    notes: dropEmpty(notes),
    assignee: task.assignee,
    due: task.due,
  }),
});

export function toAcceptance({ kind, text = '', gate, metAt, metBy }: StoredCriterion): Acceptance {
  const met = metAt ? (true as const) : undefined;
  if (kind === 'evidence_bound') return defined({ kind, gate: gate!, met });
  return met ? defined({ kind, text, met, metAt, metBy }) : { kind, text };
}

const toChildAcceptance = ({ id, status }: Relative): Acceptance =>
  defined({ kind: 'child_task' as const, target: id, met: status === 'done' ? (true as const) : undefined });

const dropEmpty = <T>(items: T[]): T[] | undefined => (items.length > 0 ? items : undefined);
