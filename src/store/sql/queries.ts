import { groupBy } from '#lib/collections.ts';
import { type Db, listValues, type Sql, type SqlRow, splitChunks, sql } from './sql.ts';

/** Runs the statement for up to 500 ids at a time and returns all rows. */
export async function queryInChunks(db: Db, ids: string[], statement: (some: Sql) => Sql): Promise<SqlRow[]> {
  const out: SqlRow[] = [];
  for (const some of splitChunks(ids, 500)) for (const row of await db.all(statement(listValues(some)))) out.push(row);
  return out;
}

/** Groups the `item` column by the `id` column, in the order of the rows. */
export async function queryLists(db: Db, ids: string[], statement: (some: Sql) => Sql): Promise<Map<string, string[]>> {
  const byId = groupBy(await queryInChunks(db, ids, statement), ({ id }) => String(id));
  return new Map([...byId].map(([id, rows]) => [id, rows.map(({ item }) => String(item))]));
}

/** Counts the rows, up to one more than `atMost`. */
export async function countUpTo(db: Db, query: Sql, atMost: number): Promise<number> {
  const [row] = await db.all(sql`select count(*) as n from (${query} limit ${atMost + 1}) counted`);
  return Number(row?.n);
}
