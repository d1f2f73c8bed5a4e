import { type Db, listValues, type Sql, type SqlRow, splitChunks, sql } from './sql.ts';

/** Runs the statement for up to 500 ids at a time and returns all rows. */
export async function queryInChunks(db: Db, ids: string[], statement: (some: Sql) => Sql): Promise<SqlRow[]> {
  const out: SqlRow[] = [];
  for (const some of splitChunks(ids, 500)) for (const row of await db.all(statement(listValues(some)))) out.push(row);
  return out;
}

/** Counts the rows, up to one more than `atMost`. */
export async function countUpTo(db: Db, query: Sql, atMost: number): Promise<number> {
  const [row] = await db.all(sql`select count(*) as n from (${query} limit ${atMost + 1}) counted`);
  return Number(row?.n);
}
