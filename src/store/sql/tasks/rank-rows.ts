import type { TaskRank } from '#tasks/model/rank.ts';
import { type Db, raw, type SqlRow } from '../sql.ts';

export const rankColumns = raw('r.task_id, r.bucket, r.parent_id, r.is_container, r.score_key, r.urgency_key, r.due');

/** Formats whether a task has children with one of these statuses, as 1 or 0. PostgreSQL answers `exists`, and a query with a limit, by
 *  reading all tasks if it expects to ask for several parents or to find a row soon. The lowest status is the first entry of the index by
 *  parent; SQLite would read all children for it. */
export function formatHasChild(engine: Db['engine'], parent: string, statuses: string, condition = ''): string {
  const children = `from tasks c where c.parent_id = ${parent} and c.status in (${statuses}) ${condition}`;
  return engine === 'postgres'
    ? `case when (select min(c.status) ${children}) is null then 0 else 1 end`
    : `case when exists (select 1 ${children}) then 1 else 0 end`;
}

/** Statuses that make the other children of a parent more urgent. */
export const startedStatuses = `'active', 'done'`;

export const toRank = (row: SqlRow): TaskRank => ({
  taskId: String(row.task_id),
  bucket: String(row.bucket),
  parentId: String(row.parent_id),
  isContainer: Number(row.is_container) === 1,
  scoreKey: Number(row.score_key),
  urgencyKey: Number(row.urgency_key),
  due: row.due === null ? undefined : String(row.due),
});
