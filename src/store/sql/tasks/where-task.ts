import type { TaskFilter } from '../../port/tasks.ts';
import { listValues, raw, type Sql, sql } from '../sql.ts';

/** Conditions on `tasks t`. */
export function whereTask(filter: TaskFilter): Sql {
  let all = raw(filter.archived === 'both' ? '1 = 1' : filter.archived === 'only' ? 't.archived_at is not null' : 't.archived_at is null');
  if (filter.parent) all = sql`${all} and t.parent_id = ${filter.parent}`;
  const { status, type, priority, label = [], assignee, dueBy, since, before } = filter;
  if (status) all = sql`${all} and t.status in ${listValues(status)}`;
  // Redundant, but a partial index is used only if the statement repeats the condition of the index.
  const isOpen = filter.open === true || (status !== undefined && !status.includes('done'));
  if (isOpen) all = sql`${all} and t.status <> 'done'`;
  if (filter.isDone) all = sql`${all} and t.status = 'done'`;
  if (!isOpen && type?.every((one) => one === 'saga' || one === 'epic')) all = sql`${all} and t.type in ('saga', 'epic')`;
  if (type) all = sql`${all} and t.type in ${listValues(type)}`;
  if (priority) all = sql`${all} and t.priority in ${listValues(priority)}`;
  for (const one of label) all = sql`${all} and t.id in (select l.task_id from task_labels l where l.label = ${one})`;
  if (assignee?.length === 0) all = sql`${all} and t.assignee is null`;
  else if (assignee) all = sql`${all} and t.assignee is not null and t.assignee in ${listValues(assignee)}`;
  if (dueBy === 'none') all = sql`${all} and t.due is null`;
  else if (dueBy) all = sql`${all} and t.due is not null and t.due <= ${dueBy}`;
  if (since) all = sql`${all} and t.updated_at >= ${since}`;
  if (before) all = sql`${all} and t.updated_at < ${before}`;
  return all;
}
