import type { OpenGraph } from '../port.ts';
import { readClaims } from './claims.ts';
import { type Db, raw, sql } from './sql.ts';
import { openColumns, toOpen } from './task-rows.ts';

const isOpen = raw("t.status <> 'done' and t.archived_at is null");

/** Everything that ordering needs, at a cost that follows what is open, not what is stored. */
export async function openGraph(db: Db): Promise<OpenGraph> {
  const tasks = await db.all(sql`select ${openColumns} from tasks t where ${isOpen} order by t.seq`);
  // SQLite takes cross joins in the order they are written. Left to choose, it begins with all dependencies there are.
  const depends = await db.all(sql`
    select d.task_id, d.depends_on from tasks t cross join task_dependencies d cross join tasks o
    where ${isOpen} and d.task_id = t.id and o.id = d.depends_on and o.status <> 'done'`);
  const begun = await db.all(sql`
    select t.parent_id from tasks t
    where ${isOpen} and exists (select 1 from tasks s where s.parent_id = t.parent_id and s.status in ('active', 'done'))`);
  return {
    tasks: tasks.map(toOpen),
    depends: depends.map((row) => ({ taskId: String(row.task_id), dependsOn: String(row.depends_on) })),
    begunParents: new Set(begun.map((row) => String(row.parent_id))),
    claims: await readClaims(db, sql`select task_id, session_id, agent_id, claimed_at, renewed_at from claims order by task_id`),
  };
}
