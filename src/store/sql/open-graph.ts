import type { OpenGraph } from '../port.ts';
import { readClaims } from './claims.ts';
import { type Db, sql } from './sql.ts';
import { openColumns, toOpen } from './task-rows.ts';

/** Everything that ordering needs, at a cost that follows what is open, not what is stored. */
export async function openGraph(db: Db): Promise<OpenGraph> {
  const tasks = await db.all(sql`select ${openColumns} from tasks t where t.status <> 'done' and t.archived_at is null order by t.seq`);
  const depends = await db.all(sql`
    select d.task_id, d.depends_on from tasks t join task_dependencies d on d.task_id = t.id join tasks o on o.id = d.depends_on
    where t.status <> 'done' and t.archived_at is null and o.status <> 'done'`);
  const begun = await db.all(sql`
    select p.parent_id from (select distinct t.parent_id from tasks t where t.status <> 'done' and t.archived_at is null and t.parent_id is not null) p
    where exists (select 1 from tasks s where s.parent_id = p.parent_id and s.status in ('active', 'done'))`);
  return {
    tasks: tasks.map(toOpen),
    depends: depends.map((row) => ({ taskId: String(row.task_id), dependsOn: String(row.depends_on) })),
    begunParents: new Set(begun.map((row) => String(row.parent_id))),
    claims: await readClaims(db, sql`select task_id, session_id, agent_id, claimed_at, renewed_at from claims order by task_id`),
  };
}
