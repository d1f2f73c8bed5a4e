import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import type { PlanTask, PlanWork } from '#tasks/model/open-work.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import type { SubtreeCount } from '../../port/tasks.ts';
import { queryInChunks } from '../queries.ts';
import { type Db, raw, type Sql, type SqlRow, sql } from '../sql.ts';
import { codeLength, isNotCancelled, isOpen, parseTaskCode, selectLines, splitLine, taskCode } from './open-graph.ts';
import { parseTaskHit, taskHitColumns } from './rows.ts';
import { withSubtree } from './subtree.ts';

/** Defines `around`: the root with its subtree and its ancestors. */
const withSubtreeAndAncestors = (root: TaskId): Sql => sql`${withSubtree(root)}, above (id, depth) as (
    select parent_id, 1 from tasks where id = ${root} and parent_id is not null
    union all
    select p.parent_id, above.depth + 1 from above join tasks p on p.id = above.id where p.parent_id is not null and above.depth < 10
  ), around (id, is_above) as (select id, '0' from below union all select id, '1' from above)`;

/** Selects the open tasks around `root`. SQLite executes cross joins in the order they are written: few rows first. */
const selectOpen = (root: TaskId | undefined): { cte: Sql; tables: Sql; condition: Sql } =>
  root === undefined
    ? { cte: raw(''), tables: raw('tasks t'), condition: isOpen }
    : { cte: withSubtreeAndAncestors(root), tables: raw('around cross join tasks t'), condition: sql`t.id = around.id and ${isOpen}` };

/** Reads all rows as one text, as `listForBoard` does. */
export async function listOpenInSubtree(db: Db, root: TaskId | undefined): Promise<(PlanTask & { isAbove: boolean })[]> {
  const { cte, tables, condition } = selectOpen(root);
  const isAbove = raw(root === undefined ? "'0'" : 'around.is_above');
  const lines = await selectLines(
    db,
    sql`${taskCode} || ${isAbove} || t.id || ' ' || coalesce(t.parent_id, '') || ' ' || t.title`,
    sql`${tables} where ${condition}`,
    cte,
  );
  const tasks = lines.map(toPlanTask);
  if (tasks.some(({ status }) => status === 'blocked')) {
    const reasons = new Map((await listBlockReasons(db)).map((row) => [row.id, String(row.blocked_by)]));
    for (const task of tasks) if (task.status === 'blocked') task.blockedBy = reasons.get(task.id);
  }
  return tasks;
}

const listBlockReasons = (db: Db): Promise<SqlRow[]> =>
  db.all(sql`select t.id, t.blocked_by from tasks t where ${isOpen} and t.status = 'blocked' and t.blocked_by is not null`);

function toPlanTask(line: string): PlanTask & { isAbove: boolean } {
  const afterId = line.indexOf(' ', codeLength + 1);
  const afterParent = line.indexOf(' ', afterId + 1);
  const { type, status, priority, size } = parseTaskCode(line.slice(0, codeLength));
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

export async function listOpenDependenciesInSubtree(db: Db, root: TaskId | undefined): Promise<PlanWork['depends']> {
  const { cte, tables, condition } = selectOpen(root);
  const lines = await selectLines(
    db,
    sql`d.task_id || ' ' || d.depends_on`,
    sql`${tables} cross join task_dependencies d cross join tasks o
      where ${condition} and d.task_id = t.id and o.id = d.depends_on and o.status <> 'done' and o.archived_at is null`,
    cte,
  );
  return lines.map(splitLine).map(([taskId, dependsOn]) => ({ taskId, dependsOn }));
}

/** Counts archived tasks as done, and cancelled ones not at all. */
export async function countInSubtrees(db: Db, roots: TaskId[]): Promise<SubtreeCount[]> {
  const found = await queryInChunks(
    db,
    roots,
    (some) => sql`
      with recursive below (root, id, depth) as (
        select id, id, 0 from tasks where id in ${some}
        union all
        select below.root, c.id, below.depth + 1 from below join tasks c on c.parent_id = below.id where below.depth < 10
      )
      select below.root, t.type, case when t.archived_at is null then t.status else 'done' end as status, count(*) as n
      from below cross join tasks t where t.id = below.id and ${isNotCancelled} group by 1, 2, 3`,
  );
  return found.map((row) => ({
    root: String(row.root),
    type: row.type as TaskType,
    status: row.status as Status,
    n: Number(row.n),
  }));
}

export async function listDoneInSubtree(db: Db, root: TaskId, limit: number): Promise<TaskHit[]> {
  const found = await db.all(sql`
    ${withSubtree(root)} select ${taskHitColumns} from below cross join tasks t
    where t.id = below.id and ${isNotCancelled} and t.type in ('task', 'subtask') and (t.status = 'done' or t.archived_at is not null) order by t.seq limit ${limit}`);
  return found.map(parseTaskHit);
}

export async function listFilesInSubtree(db: Db, root: TaskId | undefined): Promise<{ path: string; taskId: TaskId }[]> {
  const { cte, tables, condition } = selectOpen(root);
  const lines = await selectLines(
    db,
    sql`f.task_id || ' ' || f.path`,
    sql`${tables} cross join task_files f where ${condition} and f.task_id = t.id`,
    cte,
  );
  return lines.map(splitLine).map(([taskId, path]) => ({ taskId, path }));
}
