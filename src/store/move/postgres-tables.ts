import type { PostgresOptions } from '../dialects/postgres.ts';
import type { Connection } from '../dialects/postgres-connection.ts';
import { fromPostgresError } from '../dialects/postgres-errors.ts';
import { toQuery } from '../dialects/postgres-transaction.ts';
import type { SqlRow, SqlValue } from '../sql/sql.ts';
import { formatLength, formatNames } from './sqlite-tables.ts';
import type { Tables } from './tables.ts';

/** The tables of a project's schema. The caller has begun a transaction whose search path begins with the schema. */
export function createPostgresTables(connection: Connection, options: PostgresOptions): Tables {
  const all = async (text: string, values?: SqlValue[]): Promise<SqlRow[]> => {
    try {
      return await connection.query(text, values);
    } catch (error) {
      throw fromPostgresError(error, options);
    }
  };
  /** Text columns, by table: texts are compared by their bytes, as SQLite does, whatever the collation of the database is. */
  const texts = new Map<string, Set<string>>();
  return {
    db: {
      engine: 'postgres',
      all: (statement) => all(...toQuery(statement)),
      run: async (statement) => {
        await all(...toQuery(statement));
      },
    },
    async list() {
      const found = await all(shapeQuery, [options.schema]);
      return found.map((row) => {
        const name = String(row.name);
        texts.set(name, new Set(parseNames(row.texts)));
        return { name, columns: parseNames(row.columns).sort(), key: parseNames(row.key), references: parseNames(row.refs) };
      });
    },
    async measure({ name, columns }) {
      const [row] = await all(`select count(*) as "rows", coalesce(max(${formatLength(columns)}), 0) as longest from "${name}"`);
      return { rows: Number(row?.rows), longest: Number(row?.longest) };
    },
    async *readPages({ name, columns, key }, maxRows) {
      const order = key.map((column) => `"${column}"${texts.get(name)?.has(column) ? ' collate "C"' : ''}`).join(', ');
      await all(`declare cleo_copy no scroll cursor for select ${formatNames(columns)} from "${name}" order by ${order}`);
      for (;;) {
        const rows = await all(`fetch ${maxRows} from cleo_copy`);
        if (rows.length === 0) break;
        yield rows;
      }
      await all('close cleo_copy');
    },
    clear: async ({ name }) => void (await all(`delete from "${name}"`)),
    async insert({ name, columns }, rows) {
      const list = formatNames(columns);
      // One value for all rows: the number of values of a statement is limited.
      await all(`insert into "${name}" (${list}) select ${list} from json_populate_recordset(null::"${name}", $1::json)`, [
        JSON.stringify(rows),
      ]);
    },
    async withoutTriggers(work) {
      const found = await all(
        `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
         join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and not t.tgisinternal`,
        [options.schema],
      );
      for (const { name } of found) await all(`alter table "${name}" disable trigger user`);
      await work();
      // A table with checks that are due at the commit cannot be altered before.
      await all('set constraints all immediate');
      for (const { name } of found) await all(`alter table "${name}" enable trigger user`);
    },
    async advanceSequences(tables) {
      const found = await all(
        `select table_name as name, column_name as col from information_schema.columns where table_schema = $1 and is_identity = 'YES'`,
        [options.schema],
      );
      for (const { name, col } of found.filter((row) => tables.some((table) => table.name === row.name)))
        await all(
          `select setval(pg_get_serial_sequence('"${options.schema}"."${name}"', '${col}'), coalesce(max("${col}"), 0) + 1, false) from "${name}"`,
        );
    },
  };
}

const parseNames = (value: SqlRow[string] | undefined): string[] => JSON.parse(String(value ?? '[]')) as string[];

const attributes = 'pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped';
const shapeQuery = `
select c.relname as name,
  (select json_agg(a.attname) from ${attributes})::text as columns,
  (select json_agg(a.attname) from ${attributes} and a.atttypid = 'text'::regtype)::text as texts,
  (select json_agg(a.attname order by k.place) from pg_index i
    cross join lateral unnest(i.indkey::int2[]) with ordinality as k (number, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
    where i.indrelid = c.oid and i.indisprimary)::text as key,
  (select json_agg(distinct r.relname) from pg_constraint f join pg_class r on r.oid = f.confrelid
    where f.conrelid = c.oid and f.contype = 'f')::text as refs
from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r' order by c.relname`;
