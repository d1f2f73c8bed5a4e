import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type postgres from 'postgres';
import { sqliteDriver } from '../../src/store/dialects/sqlite-driver.ts';
import { migrations } from '../../src/store/migrations/all.ts';
import { checksum, statementsFor } from '../../src/store/migrations/migration.ts';
import type { TestHouse } from '../house.ts';

/** A working day's worth of everything that the first schema can hold. */
export async function fill({ call, as }: TestHouse, tasks: number): Promise<void> {
  await call('tasks.add', { title: 'The parser', type: 'epic', description: 'Überprüfen 解析する 👩‍👩‍👧' });
  await call('tasks.add-batch', {
    tasks: Array.from({ length: tasks }, (_, i) => ({
      title: `Part ${i} of the "work"`,
      description: `About part ${i}\nin two lines`,
      labels: [`l${i % 5}`],
      files: [`src/part-${i}.ts`],
      depends: i > 1 && i % 3 === 0 ? [`T00${2}`] : [],
      acceptance: [`part ${i} works`],
    })),
  });
  for (let i = 0; i < 20; i++) await call('tasks.update', { taskId: 'T003', notes: `Note ${i}: it's $HOME` });
  await call('tasks.relates.add', { from: 'T002', to: 'T003', type: 'fixes', reason: 'the same cause' });
  await call('tasks.complete', { taskId: 'T002' });
  for (const [agent, taskId] of [
    ['ada', 'T003'],
    ['bob', 'T004'],
  ] as const)
    await as(agent).call('tasks.start', { taskId });
  await as('eve').call('tasks.start', { taskId: 'T003' });
  await call('tasks.delete', { taskId: 'T006' });
  await call('tasks.archive', { taskId: 'T002' });
  await call('tasks.add', { title: 'Once' }, { idempotencyKey: 'kept' });
}

const [foundation] = migrations;

/** The house's database as the first schema has it, in a file of its own. */
export function earlierSqlite({ root }: TestHouse, file: string): void {
  const { DatabaseSync } = sqliteDriver();
  const now = new DatabaseSync(join(root, '.cleo', 'cleo.db'), {});
  now.exec(`vacuum into '${file}'`);
  now.close();
  const then = new DatabaseSync(file, {});
  const fresh = new DatabaseSync(':memory:', {});
  fresh.exec('create table schema_migrations (version integer primary key, checksum text not null, applied_at text not null)');
  fresh.exec(statementsFor(foundation!, 'sqlite'));
  const schemaOf = (database: typeof then) =>
    database.prepare(`select type, name, sql from sqlite_schema where name not like 'sqlite%' order by type, name`).all();
  const known = new Set(schemaOf(fresh).map(({ name }) => name));
  then.exec('pragma foreign_keys = off');
  for (const { name } of schemaOf(then).filter(({ type, name }) => type === 'table' && !known.has(name))) then.exec(`drop table "${name}"`);
  then.exec('delete from schema_migrations where version > 1; pragma journal_mode = wal');
  const [was, is] = [fresh, then].map((database) => JSON.stringify(schemaOf(database)));
  if (was !== is) throw new Error(`this is not the first schema:\n${is}\nbut\n${was}`);
  fresh.close();
  then.close();
}

/** The house's rows in a schema of their own, made by the first step alone. */
export async function earlierPostgres(client: postgres.Sql, from: string, to: string): Promise<void> {
  await client.unsafe(`create schema "${to}"; set search_path to "${to}", public; set session_replication_role = replica`);
  await client.unsafe('create table schema_migrations (version integer primary key, checksum text not null, applied_at text not null)');
  await client.unsafe(statementsFor(foundation!, 'postgres')).simple();
  await client.unsafe('insert into schema_migrations values (1, $1, $2)', [checksum(foundation!), '2026-01-01T00:00:00.000Z']);
  for (const { table_name: table } of await tablesOf(client, to)) {
    if (table === 'schema_migrations') continue;
    await client.unsafe(`delete from "${to}"."${table}"; insert into "${to}"."${table}" select * from "${from}"."${table}"`).simple();
  }
  for (const { table_name: table, column_name: column } of await client.unsafe(
    `select table_name, column_name from information_schema.columns where table_schema = $1 and is_identity = 'YES'`,
    [to],
  ))
    await client.unsafe(
      `select setval(pg_get_serial_sequence('"${to}"."${table}"', '${column}'), (select coalesce(max("${column}"), 0) + 1 from "${to}"."${table}"))`,
    );
  await client.unsafe('reset session_replication_role; reset search_path').simple();
}

const tablesOf = (client: postgres.Sql, schema: string) =>
  client.unsafe(`select table_name from information_schema.tables where table_schema = $1 order by table_name`, [schema]);

/** What a store holds: which step of the schema it is at, its tables, and what is in them. */
export interface Content {
  version: number;
  tables: string[];
  /** Of every row but those of the log that came after `entries`. */
  digest: string;
}

export function contentOfSqlite(path: string, entries: number): Content {
  const database = new (sqliteDriver().DatabaseSync)(path, {});
  const ask = (query: string) => database.prepare(query).all();
  try {
    if (ask('pragma integrity_check')[0]?.integrity_check !== 'ok') throw new Error('the database is damaged');
    const tables = ask(`select name from sqlite_schema where type = 'table' and sql not like 'create virtual%' order by name`).map(
      ({ name }) => String(name),
    );
    const rows = tables.filter(isKept).map((table) => {
      const columns = ask(`pragma table_info("${table}")`).map(({ name }) => `quote("${name}") as "${name}"`);
      return [
        table,
        ask(`select ${columns.join(', ')} from "${table}"${table === 'audit_log' ? ` where seq <= ${entries}` : ''}`)
          .map((row) => JSON.stringify(row))
          .sort(),
      ];
    });
    return { version: Number(ask('select max(version) as v from schema_migrations')[0]?.v), tables, digest: digestOf(rows) };
  } finally {
    database.close();
  }
}

export async function contentOfPostgres(client: postgres.Sql, schema: string, entries: number): Promise<Content> {
  const tables = (await tablesOf(client, schema)).map(({ table_name }) => String(table_name));
  const rows = [];
  for (const table of tables.filter(isKept)) {
    const found = await client.unsafe(
      `select to_jsonb(t)::text as row from "${schema}"."${table}" t${table === 'audit_log' ? ` where seq <= ${entries}` : ''}`,
    );
    rows.push([table, found.map(({ row }) => row).sort()]);
  }
  const [step] = await client.unsafe(`select max(version) as v from "${schema}".schema_migrations`);
  return { version: Number(step?.v), tables, digest: digestOf(rows) };
}

/** The head of the log moves with every entry; the steps are told by their number. A table that is empty adds nothing. */
const isKept = (table: string): boolean => !['audit_head', 'schema_migrations'].includes(table);
const digestOf = (rows: unknown[][]): string =>
  createHash('sha256')
    .update(JSON.stringify(rows.filter(([, found]) => (found as unknown[]).length > 0)))
    .digest('hex');
