import postgres from 'postgres';
import { createPostgres } from '../src/store/dialects/postgres-schema.ts';
import { getSchemaPrefix } from './schema-prefix.ts';

/** The schemas of this process. Creating and dropping a hundred tables takes longer than a test, so schemas are reset and reused,
 *  except those whose structure a test may have changed. They are removed with the server or at the end of the run. */
interface SchemaPool {
  client: postgres.Sql;
  url: string;
  free: string[];
  /** Returns the statements that reset a schema. */
  formatReset?: (schema: string) => string;
}

let pool: SchemaPool | undefined;

const at = '2026-01-01T00:00:00.000Z';

/** Returns the key of a project with an empty schema, and a function to return the schema to the pool. */
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
/** Another connection still holds a lock on it. */
const toFalse = (): boolean => false;

/** Creates the statements that bring a schema back to the current state of `schema`. */
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
      // Disables triggers and foreign keys.
      'set local session_replication_role = replica',
      `set local lock_timeout = '2s'`,
      ...tables.map((table) => `delete from "${table}"`),
      ...rows,
      ...sequences.map((sequence) => `select setval('"${name}"."${sequence}"', 1, false)`),
      'commit',
    ].join(';\n');
}
