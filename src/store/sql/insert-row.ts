import { type Db, joinSql, listValues, raw, type SqlRow, sql } from './sql.ts';

/** Inserts a row that was read from the same table, so its columns are those of the schema. */
export async function insertRow(db: Db, table: string, row: SqlRow, suffix = raw('')): Promise<void> {
  const columns = joinSql(
    Object.keys(row).map((name) => raw(`"${name}"`)),
    ', ',
  );
  await db.run(sql`insert into ${raw(table)} (${columns}) values ${listValues(Object.values(row))}${suffix}`);
}
