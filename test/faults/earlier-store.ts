import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type postgres from 'postgres';
import { loadSqliteDriver } from '../../src/store/dialects/sqlite-driver.ts';
import { migrations } from '../../src/store/migrations/all.ts';
import { computeChecksum, getStatements } from '../../src/store/migrations/migration.ts';
import type { TestApp } from '../app.ts';

/** Fills the store with records of all kinds that the schema of that version supports. */
export async function fillStore({ call, as }: Pick<TestApp, 'as' | 'call'>, tasks: number, version: number): Promise<void> {
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
  if (version < 2) return;
  await as('zoe').call('session.start', { scope: 'epic:T001', autoFocus: true, name: 'Parser', grade: true });
  await as('zoe').call('session.end', { note: 'Half of it is done' });
  await as('yan').call('session.start', { scope: 'global', autoFocus: true });
  await as('yan').call('system.context.report', { used: 100, max: 200 });
}

const listMigrations = (version: number) => migrations.filter((migration) => migration.version <= version);
const createMigrationsTable =
  'create table schema_migrations (version integer primary key, checksum text not null, applied_at text not null)';

/** Copies the app's rows into a database with the schema of an earlier version. */
export function createEarlierSqlite({ root }: TestApp, file: string, version: number): void {
  // Allows writing the shadow tables of full-text search.
  const database = new (loadSqliteDriver().DatabaseSync)(file, { defensive: false } as object);
  database.exec(`pragma foreign_keys = off; ${createMigrationsTable}`);
  for (const migration of listMigrations(version)) {
    database.exec(getStatements(migration, 'sqlite'));
    database.prepare('insert into schema_migrations values (?, ?, ?)').run(migration.version, computeChecksum(migration), appliedAt);
  }
  database.prepare('attach ? as now').run(join(root, '.cleo', 'cleo.db'));
  for (const [table, columns] of Object.entries(readSqliteShape(database))) {
    if (table === 'schema_migrations') continue;
    if (table === 'imports') {
      database.exec(insertImport);
      continue;
    }
    const list = columns.map((name) => `"${name}"`).join(', ');
    database.exec(`delete from "${table}"; insert into "${table}" (${list}) select ${list} from now."${table}"`);
  }
  database.exec('detach now; pragma journal_mode = wal');
  database.close();
}

/** Copies the app's rows into a schema of an earlier version. */
export async function createEarlierPostgres(client: postgres.Sql, from: string, to: string, version: number): Promise<void> {
  await client
    .unsafe(`create schema "${to}"; set search_path to "${to}", public; set session_replication_role = replica; ${createMigrationsTable}`)
    .simple();
  for (const migration of listMigrations(version)) {
    await client.unsafe(getStatements(migration, 'postgres')).simple();
    await client.unsafe('insert into schema_migrations values ($1, $2, $3)', [migration.version, computeChecksum(migration), appliedAt]);
  }
  for (const [table, columns] of Object.entries(await readPostgresShape(client, to))) {
    if (table === 'schema_migrations') continue;
    if (table === 'imports') {
      await client.unsafe(insertImport);
      continue;
    }
    const list = columns.map((name) => `"${name}"`).join(', ');
    await client
      .unsafe(`delete from "${to}"."${table}"; insert into "${to}"."${table}" (${list}) select ${list} from "${from}"."${table}"`)
      .simple();
  }
  const counted = `select table_name, column_name from information_schema.columns where table_schema = $1 and is_identity = 'YES'`;
  for (const { table_name: table, column_name: column } of await client.unsafe(counted, [to]))
    await client.unsafe(
      `select setval(pg_get_serial_sequence('"${to}"."${table}"', '${column}'), (select coalesce(max("${column}"), 0) + 1 from "${to}"."${table}"))`,
    );
  await client.unsafe('reset session_replication_role; reset search_path').simple();
}

/** Version 7 moved the imported tasks to another table. */
const insertImport = `insert into imports (source, foreign_id, task_id, digest, imported_at) values ('beads', 'bd-1', 'T003', 'd1', '2026-01-01')`;
const movedColumns: Record<string, string> = { digest: 'base', imported_at: 'at' };

/** Returns the table that holds the rows of a table of an earlier version, and its name for each column. */
const findRows = (table: string, own: StoreShape): { from: string; toColumn: (name: string) => string } =>
  table === 'imports' && !own.imports
    ? { from: 'import_records', toColumn: (name) => movedColumns[name] ?? name }
    : { from: table, toColumn: (name) => name };

const appliedAt = '2026-01-01T00:00:00.000Z';

/** The tables of a store and their columns. */
export type StoreShape = Record<string, string[]>;
type Database = InstanceType<ReturnType<typeof loadSqliteDriver>['DatabaseSync']>;

function readSqliteShape(database: Database): StoreShape {
  const tables = database
    .prepare(
      `select name from sqlite_schema where type = 'table' and sql not like 'create virtual%' and name not like 'sqlite%' order by name`,
    )
    .all();
  return Object.fromEntries(
    tables.map(({ name }) => [
      String(name),
      database
        .prepare(`pragma table_info("${name}")`)
        .all()
        .map((column) => String(column.name)),
    ]),
  );
}

async function readPostgresShape(client: postgres.Sql, schema: string): Promise<StoreShape> {
  const shape: StoreShape = {};
  const found =
    'select table_name, column_name from information_schema.columns where table_schema = $1 order by table_name, ordinal_position';
  for (const { table_name, column_name } of await client.unsafe(found, [schema]))
    shape[table_name] = [...(shape[table_name] ?? []), column_name];
  return shape;
}

/** Schema version, tables and a digest of the rows of a store. */
export interface StoreContent {
  version: number;
  shape: StoreShape;
  digest: string;
}

/** Reads the columns of `shape`, by default all, without audit entries after `entries`. */
export function readSqliteContent(path: string, entries: number, shape?: StoreShape): StoreContent {
  const database = new (loadSqliteDriver().DatabaseSync)(path, {});
  const ask = (query: string) => database.prepare(query).all();
  try {
    if (ask('pragma integrity_check')[0]?.integrity_check !== 'ok') throw new Error('the database is damaged');
    const own = readSqliteShape(database);
    const rows = listCompared(shape ?? own).map(([table, columns]) => {
      const { from, toColumn } = findRows(table, own);
      const list = columns.map((name) => `quote("${toColumn(name)}") as "${name}"`).join(', ');
      return [table, ask(`select ${list} from "${from}"${limitEntries(table, entries)}`).map((row) => JSON.stringify(row))] as const;
    });
    return { version: Number(ask('select max(version) as v from schema_migrations')[0]?.v), shape: own, digest: computeDigest(rows) };
  } finally {
    database.close();
  }
}

export async function readPostgresContent(
  client: postgres.Sql,
  schema: string,
  entries: number,
  shape?: StoreShape,
): Promise<StoreContent> {
  const own = await readPostgresShape(client, schema);
  const rows: [string, string[]][] = [];
  for (const [table, columns] of listCompared(shape ?? own)) {
    const { from, toColumn } = findRows(table, own);
    const list = columns.map((name) => `"${toColumn(name)}"::text as "${name}"`).join(', ');
    const found = await client.unsafe(`select ${list} from "${schema}"."${from}"${limitEntries(table, entries)}`);
    rows.push([table, found.map((row) => JSON.stringify(row))]);
  }
  const [step] = await client.unsafe(`select max(version) as v from "${schema}".schema_migrations`);
  return { version: Number(step?.v), shape: own, digest: computeDigest(rows) };
}

/** The head of the log changes with every entry; migrations are compared by their version. The uids of old tasks follow from the id that
 *  a migration gives every store. */
const listCompared = (shape: StoreShape): [string, string[]][] =>
  Object.entries(shape)
    .filter(([table]) => !['audit_head', 'schema_migrations'].includes(table))
    .map(([table, columns]) => [table, table === 'tasks' ? columns.filter((name) => name !== 'uid') : columns]);
const limitEntries = (table: string, entries: number): string => {
  if (['audit_log', 'audit_updates'].includes(table)) return ` where seq <= ${entries}`;
  // A migration gives every store an id of its own.
  return table === 'store_facts' ? ` where name <> 'replica'` : '';
};
const computeDigest = (rows: (readonly [string, string[]])[]): string =>
  createHash('sha256')
    .update(JSON.stringify(rows.map(([table, found]) => [table, found.sort()])))
    .digest('hex');
