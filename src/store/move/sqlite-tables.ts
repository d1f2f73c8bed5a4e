import { convertErrors, type SqliteDatabase, type SqliteFile, type SqliteStatement } from '../dialects/sqlite-driver.ts';
import type { SqlRow, SqlValue } from '../sql/sql.ts';
import type { TableShape, Tables } from './tables.ts';

/** The tables of a SQLite database. The caller has begun a transaction. */
export function createSqliteTables(database: SqliteDatabase, options: SqliteFile): Tables {
  const statements = new Map<string, SqliteStatement>();
  /** Reuses statements: each keeps its last values in memory, with one of the drivers until it is garbage-collected. */
  const prepare = (text: string): SqliteStatement => {
    const known = statements.get(text) ?? database.prepare(text);
    if (statements.size >= maxStatements) statements.clear();
    statements.set(text, known);
    return known;
  };
  const all = (text: string, values: SqlValue[] = []): SqlRow[] => convertErrors(options, () => prepare(text).all(...values));
  const exec = (text: string): void => convertErrors(options, () => database.exec(text));
  const readShape = (name: string): TableShape => {
    const columns = all(`pragma table_info("${name}")`);
    const references = all(`pragma foreign_key_list("${name}")`).map((row) => String(row.table));
    const key = columns.filter((column) => Number(column.pk) > 0).sort((one, other) => Number(one.pk) - Number(other.pk));
    return { name, columns: columns.map(toName).sort(), key: key.map(toName), references: [...new Set(references)] };
  };
  return {
    db: {
      engine: 'sqlite',
      all: async ({ parts, values }) => all(parts.join('?'), values),
      run: async ({ parts, values }) => {
        convertErrors(options, () => prepare(parts.join('?')).run(...values));
      },
    },
    // `table_list` names virtual tables and the tables behind them as such.
    list: async () =>
      all(
        `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`,
      )
        .map(toName)
        .map(readShape),
    async measure({ name, columns }) {
      const [row] = all(`select count(*) as "rows", coalesce(max(${formatLength(columns)}), 0) as longest from "${name}"`);
      return { rows: Number(row?.rows), longest: Number(row?.longest) };
    },
    async *readPages({ name, columns, key }, maxRows) {
      const [list, order] = [formatNames(columns), formatNames(key)];
      const later = `where (${order}) > (${key.map(() => '?').join(', ')})`;
      for (let last: SqlValue[] | undefined; ; ) {
        const rows = all(`select ${list} from "${name}" ${last ? later : ''} order by ${order} limit ${maxRows}`, last);
        if (rows.length === 0) return;
        yield rows;
        last = key.map((column) => rows.at(-1)?.[column] ?? null);
      }
    },
    clear: async ({ name }) => exec(`delete from "${name}"`),
    async insert({ name, columns }, rows) {
      convertErrors(options, () => {
        const statement = prepare(`insert into "${name}" (${formatNames(columns)}) values (${columns.map(() => '?').join(', ')})`);
        for (const row of rows) statement.run(...columns.map((column) => row[column] ?? null));
      });
    },
    async withoutTriggers(work) {
      const triggers = all(`select name, sql from sqlite_schema where type = 'trigger'`);
      for (const { name } of triggers) exec(`drop trigger "${name}"`);
      await work();
      for (const { sql } of triggers) exec(String(sql));
    },
    // A row without a number gets the highest one plus one.
    advanceSequences: async () => {},
  };
}

const maxStatements = 100;

const toName = (row: SqlRow): string => String(row.name);

export const formatNames = (names: string[]): string => names.map((name) => `"${name}"`).join(', ');

/** The length of a row in characters, in the SQL of both engines. */
export const formatLength = (columns: string[]): string =>
  columns.map((name) => `coalesce(length(cast("${name}" as text)), 0)`).join(' + ');
