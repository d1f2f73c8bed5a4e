import type { Priority, Size, Status, TaskType } from '#core/model/scalars.ts';
import type { OpenTask, OpenWork } from '#tasks/model/open-work.ts';
import { allClaims } from './claims.ts';
import { type Db, raw, type Sql, sql } from './sql.ts';

export const isOpen = raw("t.status <> 'done' and t.archived_at is null");

/** Everything that ordering needs, at a cost that follows what is open, not what is stored. A thousand rows cost a cold start
 *  more to be handed over than to be found, so each answer comes as one text. */
export async function openGraph(db: Db): Promise<OpenWork> {
  const tasks = await asLines(
    db,
    sql`${kindCode} || t.id || ' ' || coalesce(t.parent_id, '') || ' ' || coalesce(t.phase, '')`,
    sql`tasks t where ${isOpen}`,
  );
  // SQLite takes cross joins in the order they are written. Left to choose, it begins with all dependencies there are.
  const depends = await asLines(
    db,
    sql`d.task_id || ' ' || d.depends_on`,
    sql`tasks t cross join task_dependencies d cross join tasks o
      where ${isOpen} and d.task_id = t.id and o.id = d.depends_on and o.status <> 'done'`,
  );
  const begun = await asLines(
    db,
    sql`t.parent_id`,
    sql`tasks t where ${isOpen} and exists (select 1 from tasks s where s.parent_id = t.parent_id and s.status in ('active', 'done'))`,
  );
  return {
    tasks: tasks.map(toOpen),
    depends: depends.map((line) => {
      const space = line.indexOf(' ');
      return { taskId: line.slice(0, space), dependsOn: line.slice(space + 1) };
    }),
    begunParents: new Set(begun),
    claims: await allClaims(db),
  };
}

/** Of each row one line; what stands in a line has no line breaks of its own. */
export async function asLines(db: Db, line: Sql, from: Sql, cte: Sql = raw('')): Promise<string[]> {
  const [row] = await db.all(sql`${cte} select string_agg(${line}, ${'\n'}) as lines from ${from}`);
  return row?.lines ? String(row.lines).split('\n') : [];
}

/** What kind it is, then the id, its parent and its phase. */
function toOpen(line: string): OpenTask {
  const afterId = line.indexOf(' ', codeLength);
  const afterParent = line.indexOf(' ', afterId + 1);
  const { type, status, priority, size } = kindOf(line.slice(0, codeLength));
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

export type Kind = Pick<OpenTask, 'type' | 'status' | 'priority' | 'size'>;
/** `tapms` stands for task, pending, medium, small. */
export const kindCode = raw(
  "substr(t.type, 1, 2) || substr(t.status, 1, 1) || substr(t.priority, 1, 1) || coalesce(substr(t.size, 1, 1), '-')",
);
export const codeLength = 5;
const types: TaskType[] = ['saga', 'epic', 'task', 'subtask'];
const statuses: Status[] = ['pending', 'active', 'blocked', 'done'];
const priorities: Priority[] = ['critical', 'high', 'medium', 'low'];
const sizes: Size[] = ['small', 'medium', 'large'];
const kinds = new Map<string, Kind>();

export function kindOf(code: string): Kind {
  let kind = kinds.get(code);
  if (!kind) {
    const meant = <T extends string>(all: T[], beginning: string): T | undefined => all.find((one) => one.startsWith(beginning));
    kind = {
      type: meant(types, code.slice(0, 2))!,
      status: meant(statuses, code.slice(2, 3))!,
      priority: meant(priorities, code.slice(3, 4))!,
      size: meant(sizes, code.slice(4)),
    };
    kinds.set(code, kind);
  }
  return kind;
}
