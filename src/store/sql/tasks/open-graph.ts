import type { Priority, Status, TaskSize, TaskType } from '#core/model/scalars.ts';
import type { OpenTask, OpenWork, PlannedTask } from '#tasks/model/open-work.ts';
import { readAllClaims } from '../caller-reads.ts';
import { type Db, raw, type Sql, sql } from '../sql.ts';

export const isOpen = raw("t.status <> 'done' and t.archived_at is null");

/** Work that was cancelled is in no count and no list of done work. The resolution of an open task is null. */
export const isNotCancelled = raw("coalesce(t.resolution, 'done') = 'done'");

/** Reads what ordering needs, in time proportional to the open tasks, not to all tasks. Each query returns one text, because
 *  transferring a thousand rows one by one takes longer than finding them. */
export async function getOpenGraph(db: Db): Promise<OpenWork> {
  const [tasks, depends, begun, planned, claims] = await Promise.all([
    selectLines(
      db,
      sql`${taskCode} || t.id || ' ' || coalesce(t.parent_id, '') || ' ' || coalesce(t.phase, '')`,
      sql`tasks t where ${isOpen}`,
    ),
    // SQLite executes cross joins in the order they are written. With plain joins it scans all dependencies first.
    selectLines(
      db,
      sql`d.task_id || ' ' || d.depends_on`,
      sql`tasks t cross join task_dependencies d cross join tasks o where ${isOpen} and d.task_id = t.id and o.id = d.depends_on and o.status <> 'done'`,
    ),
    // Each parent is looked up once. Without `coalesce` SQLite would read the parents of all tasks in the order of an index.
    selectLines(
      db,
      sql`by_up.id`,
      sql`(select distinct coalesce(t.parent_id, '') as id from tasks t where ${isOpen}) by_up where exists (select 1 from tasks s where s.parent_id = by_up.id and s.status in ('active', 'done'))`,
    ),
    // The condition repeats that of a partial index, so that tasks with neither cost nothing.
    selectLines(
      db,
      sql`t.id || ' ' || coalesce(t.due, '') || ' ' || coalesce(t.assignee, '')`,
      sql`tasks t where (t.assignee is not null or t.due is not null) and ${isOpen}`,
    ),
    readAllClaims(db),
  ]);
  return {
    tasks: tasks.map(toOpenTask),
    depends: depends.map(splitLine).map(([taskId, dependsOn]) => ({ taskId, dependsOn })),
    startedParents: new Set(begun),
    claims,
    planned: planned.map(toPlannedTask),
  };
}

/** Returns one line for each row. The columns in a line must not contain line breaks. */
export async function selectLines(db: Db, line: Sql, from: Sql, cte: Sql = raw('')): Promise<string[]> {
  const [row] = await db.all(sql`${cte} select string_agg(${line}, ${'\n'}) as lines from ${from}`);
  return row?.lines ? String(row.lines).split('\n') : [];
}

/** Splits a line at its first space. */
export function splitLine(line: string): [string, string] {
  const space = line.indexOf(' ');
  return [line.slice(0, space), line.slice(space + 1)];
}

function toPlannedTask(line: string): PlannedTask {
  const [taskId, rest] = splitLine(line);
  const [due, assignee] = splitLine(rest);
  return { taskId, due: due || undefined, assignee: assignee || undefined };
}

/** Parses a line of the task's code, id, parent and phase. */
function toOpenTask(line: string): OpenTask {
  const afterId = line.indexOf(' ', codeLength);
  const afterParent = line.indexOf(' ', afterId + 1);
  const { type, status, priority, size } = parseTaskCode(line.slice(0, codeLength));
  return {
    id: line.slice(codeLength, afterId),
    type,
    status,
    priority,
    size,
    parentId: line.slice(afterId + 1, afterParent) || undefined,
    phase: line.slice(afterParent + 1) || undefined,
  };
}

type TaskCode = Pick<OpenTask, 'type' | 'status' | 'priority' | 'size'>;
/** `tapms` is task, pending, medium, small. */
export const taskCode = raw(
  "substr(t.type, 1, 2) || substr(t.status, 1, 1) || substr(t.priority, 1, 1) || coalesce(substr(t.size, 1, 1), '-')",
);
export const codeLength = 5;
const types: TaskType[] = ['saga', 'epic', 'task', 'subtask'];
const statuses: Status[] = ['pending', 'active', 'blocked', 'done'];
const priorities: Priority[] = ['critical', 'high', 'medium', 'low'];
const sizes: TaskSize[] = ['small', 'medium', 'large'];
const parsedCodes = new Map<string, TaskCode>();

export function parseTaskCode(code: string): TaskCode {
  let kind = parsedCodes.get(code);
  if (!kind) {
    const find = <T extends string>(all: T[], prefix: string): T | undefined => all.find((one) => one.startsWith(prefix));
    kind = {
      type: find(types, code.slice(0, 2))!,
      status: find(statuses, code.slice(2, 3))!,
      priority: find(priorities, code.slice(3, 4))!,
      size: find(sizes, code.slice(4)),
    };
    parsedCodes.set(code, kind);
  }
  return kind;
}
