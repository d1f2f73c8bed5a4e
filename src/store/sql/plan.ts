import type { PlanTask } from '../../model/open-work.ts';
import type { Priority, Size, Status, TaskId, TaskType } from '../../model/scalars.ts';
import type { Edge, InsideCount } from '../port.ts';
import { type Db, inList, type Row, raw, type Sql, sql, text } from './sql.ts';
import { below } from './subtree.ts';
import { present } from './task-rows.ts';
import { inChunks } from './tasks-read.ts';

const isOpen = raw("t.status <> 'done' and t.archived_at is null");

/** `around`: the root with everything inside it, and what it is inside of. */
const around = (root: TaskId): Sql => sql`${below(root)}, above (id, depth) as (
    select parent_id, 1 from tasks where id = ${root} and parent_id is not null
    union all
    select p.parent_id, above.depth + 1 from above join tasks p on p.id = above.id where p.parent_id is not null and above.depth < 10
  ), around (id, is_above) as (select id, 0 from below union all select id, 1 from above)`;

// SQLite takes cross joins in the order they are written: from the few that are asked for to the many that there are.
const among = (root: TaskId | undefined): { cte: Sql; tables: Sql; isAsked: Sql } =>
  root === undefined
    ? { cte: raw(''), tables: raw('tasks t'), isAsked: isOpen }
    : { cte: around(root), tables: raw('around cross join tasks t'), isAsked: sql`t.id = around.id and ${isOpen}` };

export async function openInside(db: Db, root: TaskId | undefined): Promise<(PlanTask & { isAbove: boolean })[]> {
  const { cte, tables, isAsked } = among(root);
  const found = await db.all(sql`
    ${cte} select t.id, t.type, t.status, t.priority, t.size, t.parent_id, t.title, t.blocked_by, ${raw(root ? 'around.is_above' : '0')} as is_above
    from ${tables} where ${isAsked}`);
  return found.map((row) => ({ ...toPlanTask(row), isAbove: Number(row.is_above) === 1 }));
}

const toPlanTask = (row: Row): PlanTask => ({
  id: String(row.id),
  type: row.type as TaskType,
  status: row.status as Status,
  priority: row.priority as Priority,
  ...present('size', row.size as Size | null),
  ...present('parentId', text(row.parent_id)),
  title: String(row.title),
  ...present('blockedBy', text(row.blocked_by)),
});

/** Tens of thousands of pairs cost more to be handed over than to be found, so they come as one text. */
export async function waitsInside(db: Db, root: TaskId | undefined): Promise<Edge[]> {
  const { cte, tables, isAsked } = among(root);
  const [row] = await db.all(sql`
    ${cte} select string_agg(d.task_id || ' ' || d.depends_on, ${'\n'}) as lines
    from ${tables} cross join task_dependencies d cross join tasks o
    where ${isAsked} and d.task_id = t.id and o.id = d.depends_on and o.status <> 'done' and o.archived_at is null`);
  if (!row?.lines) return [];
  return String(row.lines)
    .split('\n')
    .map((line) => {
      const space = line.indexOf(' ');
      return { from: line.slice(0, space), to: line.slice(space + 1) };
    });
}

/** What is archived was done. */
export async function countsInside(db: Db, roots: TaskId[]): Promise<InsideCount[]> {
  const found = await inChunks(roots, (some) =>
    db.all(sql`
      with recursive below (root, id, depth) as (
        select id, id, 0 from tasks where id in ${inList(some)}
        union all
        select below.root, c.id, below.depth + 1 from below join tasks c on c.parent_id = below.id where below.depth < 10
      )
      select below.root, t.type, case when t.archived_at is null then t.status else 'done' end as status, count(*) as n
      from below cross join tasks t where t.id = below.id group by 1, 2, 3`),
  );
  return found.map((row) => ({
    root: String(row.root),
    type: row.type as TaskType,
    status: row.status as Status,
    n: Number(row.n),
  }));
}

export async function filesInside(db: Db, root: TaskId | undefined): Promise<{ path: string; taskId: TaskId }[]> {
  const { cte, tables, isAsked } = among(root);
  const found = await db.all(sql`
    ${cte} select f.path, f.task_id from ${tables} cross join task_files f where ${isAsked} and f.task_id = t.id`);
  return found.map((row) => ({ path: String(row.path), taskId: String(row.task_id) }));
}
