import postgres from 'postgres';
import { createPostgres } from '../src/store/dialects/postgres.ts';
import { getSchemaPrefix } from './schema-prefix.ts';

/** A hundred tables and indexes take longer to make and to drop than a test to run, so a process keeps its schemas: one that is free
 *  is emptied to what a new one holds. One whose structure may have been changed is not taken again. They go with the server, or are
 *  dropped at the end of the run. */
interface SchemaPool {
  client: postgres.Sql;
  url: string;
  free: string[];
  /** Empties a schema, by its name. */
  formatReset?: (schema: string) => string;
}

let pool: SchemaPool | undefined;

const at = '2026-01-01T00:00:00.000Z';

/** The key of a project whose schema is as new, and how to give it back. */
export async function borrowSchema(url: string): Promise<{ key: string; release(isWhole: boolean): void }> {
  pool ??= { client: postgres(url, { max: 1, onnotice: () => {} }), url, free: [] };
  const { client, free } = pool;
  let schema = free.pop();
  const isReset = schema !== undefined && (await client.unsafe(pool.formatReset!(schema)).simple().then(toTrue, toFalse));
  if (schema === undefined || !isReset) {
    schema = getSchemaPrefix(process.ppid) + Math.random().toString(36).slice(2, 10);
    await createPostgres({ url, schema, busyTimeoutMs: 15_000 }, at);
    pool.formatReset ??= await createReset(client, schema);
  }
  const taken = schema;
  return {
    key: taken.slice('cleo_'.length),
    release: (isWhole) => {
      if (isWhole) free.push(taken);
    },
  };
}

const toTrue = (): boolean => true;
/** Somebody still holds a lock on it. */
const toFalse = (): boolean => false;

/** What brings a schema of the kind that this one is back to what it is now. */
async function createReset(client: postgres.Sql, schema: string): Promise<(schema: string) => string> {
  const tables = (await client`select tablename as name from pg_tables where schemaname = ${schema} order by 1`).map(({ name }) =>
    String(name),
  );
  const sequences = (await client`select sequencename as name from pg_sequences where schemaname = ${schema}`).map(({ name }) =>
    String(name),
  );
  const rows: string[] = [];
  for (const table of tables) {
    const [found] = await client.unsafe(`select coalesce(json_agg(t), '[]')::text as rows from "${schema}"."${table}" t`);
    const text = String(found?.rows);
    if (text !== '[]')
      rows.push(`insert into "${table}" select * from json_populate_recordset(null::"${table}", '${text.replaceAll("'", "''")}')`);
  }
  return (name) =>
    [
      'begin',
      `set local search_path to "${name}", public`,
      // Neither triggers nor foreign keys are asked.
      'set local session_replication_role = replica',
      `set local lock_timeout = '2s'`,
      ...tables.map((table) => `delete from "${table}"`),
      ...rows,
      ...sequences.map((sequence) => `select setval('"${name}"."${sequence}"', 1, false)`),
      'commit',
    ].join(';\n');
}
