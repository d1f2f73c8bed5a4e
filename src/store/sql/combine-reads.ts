import { joinSql, raw, type Sql, type SqlRow, sql } from './sql.ts';

/** Combines reads into one statement with one row, which has the rows of each read in a column. Only for PostgreSQL. */
export const combineReads = (statements: Sql[]): Sql => sql`select ${joinSql(statements.map(toColumn), ', ')}`;

/** Returns the rows of each read. */
export const splitCombinedRow = (row: SqlRow | undefined, count: number): SqlRow[][] =>
  Array.from({ length: count }, (_, i) => ((row as Record<string, unknown> | undefined)?.[toName(i)] as SqlRow[] | null | undefined) ?? []);

const toColumn = (statement: Sql, i: number): Sql => sql`(select json_agg(one) from (${statement}) one) as ${raw(toName(i))}`;
const toName = (i: number): string => `rows_${i}`;
