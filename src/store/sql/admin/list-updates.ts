import { type Db, listValues, type Sql, type SqlRow, splitChunks, sql } from '../sql.ts';

/** Lists the successful entries of the log that updated a task and meet a condition, in order. These are two statements: PostgreSQL would
 *  read the whole log for a join if it has no statistics about it yet. */
export async function listUpdates(db: Db, taskId: string, condition: Sql): Promise<SqlRow[]> {
  const linked = await db.all(sql`select seq from audit_updates where task_id = ${taskId} order by seq`);
  const found: SqlRow[] = [];
  for (const some of splitChunks(linked, 500)) {
    const seqs = listValues(some.map(({ seq }) => Number(seq)));
    found.push(...(await db.all(sql`select * from audit_log where seq in ${seqs} and success = 1 and ${condition} order by seq`)));
  }
  return found;
}
