import type { Gate, Priority, Size, Status, TaskType } from '#core/model/scalars.ts';
import type { Note, StoredCriterion, TaskHit, TaskRecord } from '#tasks/model/task.ts';
import type { Ancestor, TaskFilter } from '../port.ts';
import { type Row, raw, type Sql, sql, text } from './sql.ts';

export const recordColumns = raw(
  't.id, t.type, t.title, t.description, t.status, t.priority, t.size, t.phase, t.parent_id, t.blocked_by, t.created_at, t.created_by, t.updated_at, t.started_at, t.completed_at, t.archived_at, t.revision',
);
export const hitColumns = raw('t.id, t.title, t.status, t.type, t.priority, t.parent_id');
export const ancestorColumns = raw('t.id, t.type, t.status, t.parent_id, t.archived_at');

type Lists = Pick<TaskRecord, 'labels' | 'depends' | 'files' | 'acceptance'>;

export function toRecord(row: Row, lists: Lists): TaskRecord {
  return {
    id: String(row.id),
    type: row.type as TaskType,
    title: String(row.title),
    ...present('description', text(row.description)),
    status: row.status as Status,
    priority: row.priority as Priority,
    ...present('size', row.size as Size | null),
    ...present('parentId', text(row.parent_id)),
    labels: lists.labels,
    ...present('phase', text(row.phase)),
    depends: lists.depends,
    ...present('blockedBy', text(row.blocked_by)),
    acceptance: lists.acceptance,
    files: lists.files,
    createdAt: String(row.created_at),
    createdBy: String(row.created_by),
    updatedAt: String(row.updated_at),
    ...present('startedAt', text(row.started_at)),
    ...present('completedAt', text(row.completed_at)),
    ...present('archivedAt', text(row.archived_at)),
    revision: Number(row.revision),
  };
}

export const toHit = (row: Row): TaskHit => ({
  id: String(row.id),
  title: String(row.title),
  status: row.status as Status,
  type: row.type as TaskType,
  priority: row.priority as Priority,
  ...present('parentId', text(row.parent_id)),
});

export const toAncestor = (row: Row): Ancestor => ({
  id: String(row.id),
  type: row.type as TaskType,
  status: row.status as Status,
  ...present('parentId', text(row.parent_id)),
  ...present('archivedAt', text(row.archived_at)),
});

export const toCriterion = (row: Row): StoredCriterion => ({
  kind: row.kind as StoredCriterion['kind'],
  ...present('text', text(row.content)),
  ...present('gate', row.gate as Gate | null),
  ...present('metAt', text(row.met_at)),
  ...present('metBy', text(row.met_by)),
});

export const toNote = (row: Row): Note => ({ at: String(row.at), by: String(row.by_agent), text: String(row.content) });

/** `{[key]: value}`, or nothing where there is no value: absence inside is a missing key. */
export function present<K extends string, V>(key: K, value: V | null | undefined): { [P in K]?: V } {
  return value === null || value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

/** Conditions on `tasks t`. */
export function where(filter: TaskFilter): Sql {
  let all = raw(filter.archived === 'both' ? '1 = 1' : filter.archived === 'only' ? 't.archived_at is not null' : 't.archived_at is null');
  if (filter.parent) all = sql`${all} and t.parent_id = ${filter.parent}`;
  if (filter.status) all = sql`${all} and t.status = ${filter.status}`;
  // Said again in the words of the partial indexes, which are used for nothing less.
  const isOpen = filter.status !== undefined && filter.status !== 'done';
  if (isOpen) all = sql`${all} and t.status <> 'done'`;
  if (!isOpen && (filter.type === 'saga' || filter.type === 'epic')) all = sql`${all} and t.type in ('saga', 'epic')`;
  if (filter.type) all = sql`${all} and t.type = ${filter.type}`;
  if (filter.priority) all = sql`${all} and t.priority = ${filter.priority}`;
  if (filter.label) all = sql`${all} and t.id in (select l.task_id from task_labels l where l.label = ${filter.label})`;
  return all;
}
