import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { PlanTask, PlanWork } from '#tasks/model/open-work.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import type { InsideCount } from '../port.ts';
import { asLines, codeLength, isOpen, kindCode, kindOf } from './open-graph.ts';
import { type Db, inList, type Row, raw, type Sql, sql } from './sql.ts';
import { below } from './subtree.ts';
import { hitColumns, toHit } from './task-rows.ts';
import { inChunks } from './tasks-read.ts';

/** `around`: the root with everything inside it, and what it is inside of. */
const around = (root: TaskId): Sql => sql`${below(root)}, above (id, depth) as (
    select parent_id, 1 from tasks where id = ${root} and parent_id is not null
    union all
    select p.parent_id, above.depth + 1 from above join tasks p on p.id = above.id where p.parent_id is not null and above.depth < 10
  ), around (id, is_above) as (select id, '0' from below union all select id, '1' from above)`;

// SQLite takes cross joins in the order they are written: from the few that are asked for to the many that there are.
const among = (root: TaskId | undefined): { cte: Sql; tables: Sql; isAsked: Sql } =>
  root === undefined
    ? { cte: raw(''), tables: raw('tasks t'), isAsked: isOpen }
    : { cte: around(root), tables: raw('around cross join tasks t'), isAsked: sql`t.id = around.id and ${isOpen}` };

/** Ten thousand rows cost more to be handed over than to be found, so they come as one text. A title is one line. */
export async function openInside(db: Db, root: TaskId | undefined): Promise<(PlanTask & { isAbove: boolean })[]> {
  const { cte, tables, isAsked } = among(root);
  const place = raw(root === undefined ? "'0'" : 'around.is_above');
  const lines = await asLines(
    db,
    sql`${kindCode} || ${place} || t.id || ' ' || coalesce(t.parent_id, '') || ' ' || t.title`,
    sql`${tables} where ${isAsked}`,
    cte,
  );
  const tasks = lines.map(toPlanTask);
  if (tasks.some(({ status }) => status === 'blocked')) {
    const reasons = new Map((await statedReasons(db)).map((row) => [row.id, String(row.blocked_by)]));
    for (const task of tasks) if (task.status === 'blocked') task.blockedBy = reasons.get(task.id);
  }
  return tasks;
}

const statedReasons = (db: Db): Promise<Row[]> =>
  db.all(sql`select t.id, t.blocked_by from tasks t where ${isOpen} and t.status = 'blocked' and t.blocked_by is not null`);

function toPlanTask(line: string): PlanTask & { isAbove: boolean } {
  const afterId = line.indexOf(' ', codeLength + 1);
  const afterParent = line.indexOf(' ', afterId + 1);
  const { type, status, priority, size } = kindOf(line.slice(0, codeLength));
  return {
    id: line.slice(codeLength + 1, afterId),
    type,
    status,
    priority,
    size,
    parentId: line.slice(afterId + 1, afterParent) || undefined,
    title: line.slice(afterParent + 1),
    isAbove: line[codeLength] === '1',
  };
}

export async function waitsInside(db: Db, root: TaskId | undefined): Promise<PlanWork['depends']> {
  const { cte, tables, isAsked } = among(root);
  const lines = await asLines(
    db,
    sql`d.task_id || ' ' || d.depends_on`,
    sql`${tables} cross join task_dependencies d cross join tasks o
      where ${isAsked} and d.task_id = t.id and o.id = d.depends_on and o.status <> 'done' and o.archived_at is null`,
    cte,
  );
  return lines.map((line) => {
    const space = line.indexOf(' ');
    return { taskId: line.slice(0, space), dependsOn: line.slice(space + 1) };
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

export async function doneInside(db: Db, root: TaskId, limit: number): Promise<TaskHit[]> {
  const found = await db.all(sql`
    ${below(root)} select ${hitColumns} from below cross join tasks t
    where t.id = below.id and t.type in ('task', 'subtask') and (t.status = 'done' or t.archived_at is not null) order by t.seq limit ${limit}`);
  return found.map(toHit);
}

/** A path is one line. */
export async function filesInside(db: Db, root: TaskId | undefined): Promise<{ path: string; taskId: TaskId }[]> {
  const { cte, tables, isAsked } = among(root);
  const lines = await asLines(
    db,
    sql`f.task_id || ' ' || f.path`,
    sql`${tables} cross join task_files f where ${isAsked} and f.task_id = t.id`,
    cte,
  );
  return lines.map((line) => {
    const space = line.indexOf(' ');
    return { taskId: line.slice(0, space), path: line.slice(space + 1) };
  });
}
