import { groupBy } from '#lib/collections.ts';
import { queryInChunks } from './queries.ts';
import type { Db, Sql } from './sql.ts';

/** Groups the `item` column by the `id` column, in the order of the rows. */
export async function queryLists(db: Db, ids: string[], statement: (some: Sql) => Sql): Promise<Map<string, string[]>> {
  const byId = groupBy(await queryInChunks(db, ids, statement), ({ id }) => String(id));
  return new Map([...byId].map(([id, rows]) => [id, rows.map(({ item }) => String(item))]));
}
