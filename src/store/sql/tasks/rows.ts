import type { GateName, Priority, Resolution, Status, TaskSize, TaskType } from '#core/model/scalars.ts';
import type { Note, StoredCriterion, TaskAlias, TaskHit, TaskRecord } from '#tasks/model/task.ts';
import type { Ancestor } from '../../port/tasks.ts';
import { omitNull, raw, type SqlRow } from '../sql.ts';

/** The aliases are lines of tool and id. A subquery, because a statement of its own costs a round trip on PostgreSQL. */
export const aliasesColumn =
  "(select string_agg(a.tool || ' ' || a.alias, '\n' order by a.tool, a.alias) from task_aliases a where a.task_id = t.id) as aliases";
export const taskRecordColumns = raw(
  `t.id, t.type, t.title, t.description, t.status, t.priority, t.size, t.phase, t.parent_id, t.blocked_by, t.created_at, t.created_by, t.updated_at, t.started_at, t.completed_at, t.archived_at, t.revision,
    t.assignee, t.due, t.requires, t.resolution, t.uid, ${aliasesColumn}`,
);
export const taskHitColumns = raw('t.id, t.title, t.status, t.type, t.priority, t.parent_id');
export const ancestorColumns = raw('t.id, t.type, t.status, t.parent_id, t.archived_at');

export type TaskLists = Pick<TaskRecord, 'labels' | 'depends' | 'files' | 'acceptance'>;

export function toTaskRecord(row: SqlRow, lists: TaskLists): TaskRecord {
  return omitNull({
    id: String(row.id),
    type: row.type as TaskType,
    title: String(row.title),
    description: row.description as string | null,
    status: row.status as Status,
    priority: row.priority as Priority,
    size: row.size as TaskSize | null,
    parentId: row.parent_id as string | null,
    labels: lists.labels,
    phase: row.phase as string | null,
    depends: lists.depends,
    blockedBy: row.blocked_by as string | null,
    acceptance: lists.acceptance,
    files: lists.files,
    assignee: row.assignee as string | null,
    due: row.due as string | null,
    requires: row.requires === null ? null : (JSON.parse(String(row.requires)) as string[]),
    resolution: row.resolution as Resolution | null,
    uid: String(row.uid),
    aliases: parseAliases(row.aliases),
    createdAt: String(row.created_at),
    createdBy: String(row.created_by),
    updatedAt: String(row.updated_at),
    startedAt: row.started_at as string | null,
    completedAt: row.completed_at as string | null,
    archivedAt: row.archived_at as string | null,
    revision: Number(row.revision),
  });
}

export const parseAliases = (aliases: unknown): TaskAlias[] | null =>
  typeof aliases === 'string' ? aliases.split('\n').map(toAlias) : null;

function toAlias(line: string): TaskAlias {
  const space = line.indexOf(' ');
  return { tool: line.slice(0, space), id: line.slice(space + 1) };
}

export const parseTaskHit = (row: SqlRow): TaskHit => ({
  id: String(row.id),
  title: String(row.title),
  status: row.status as Status,
  type: row.type as TaskType,
  priority: row.priority as Priority,
  ...omitNull({ parentId: row.parent_id as string | null }),
});

export const toAncestor = (row: SqlRow): Ancestor => ({
  id: String(row.id),
  type: row.type as TaskType,
  status: row.status as Status,
  ...omitNull({ parentId: row.parent_id as string | null, archivedAt: row.archived_at as string | null }),
});

export const toCriterion = (row: SqlRow): StoredCriterion => ({
  kind: row.kind as StoredCriterion['kind'],
  ...omitNull({
    text: row.content as string | null,
    gate: row.gate as GateName | null,
    metAt: row.met_at as string | null,
    metBy: row.met_by as string | null,
  }),
});

export const toNote = (row: SqlRow): Note => ({ at: String(row.at), by: String(row.by_agent), text: String(row.content) });
