import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, inject, onTestFinished, test } from 'vitest';
import { dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { exportFormats } from '../../src/transfer/rules/export.ts';
import { asPerson, type Json, openApp, type TestApp, tamperSqlite } from '../app.ts';
import { fillStore, readPostgresContent, readSqliteContent } from '../faults/earlier-store.ts';
import { trustOnUse } from '../trust-on-use.ts';

/** A row of each table that the operations below leave empty. */
const otherRows = [
  `insert into task_aliases values ('jira', 'WEB-1', 'T003')`,
  `insert into import_records values ('jira', 'WEB-1', 'T003', '{"title":"é"}', '2026-01-01')`,
  `insert into github_cache values ('a/b', '/issues', null, '[]')`,
  `insert into plan_records values ('task', 'u1', '{}', null, null, '{}', null)`,
  `insert into plan_files values ('/tree', 'task', 'u1', '1 2')`,
  `insert into nexus_depends values ('T003', 'web', 'T009', 'Ünïcode 👩‍👩‍👧', 'done', '2026-01-01')`,
  `insert into conversations (process, agent_id, seen_at) values ('p1', 'ada', '2026-01-01')`,
  `insert into task_baselines (task_id, head, files, at) values ('T003', 'abc', null, '2026-01-01') on conflict do nothing`,
  `insert into spawns (task_id, agent_id, role, skill, protocol, tier, prompt_hash, has_protocol, spawned_by, at)
     values ('T003', 'w', 'worker', 's', 'p', 1, 'h', 1, 'ada', '2026-01-01')`,
  `insert into releases (version, status, changelog, steps, created_at, created_by) values ('1.0.0', 'created', '', '[]', '2026-01-01', 'ada')`,
  `insert into release_tasks values ('1.0.0', 'T003')`,
  `insert into workgraphs values ('d', '{}', '2026-01-01', 'ada')`,
  `insert into task_gates (task_id, gate, round, passed, evidence, agent_id, at) values ('T003', 'implemented', 1, 1, '[]', 'ada', '2026-01-01')`,
  `insert into task_verifications (task_id, round, failed) values ('T003', 1, 0) on conflict do nothing`,
  `insert into lifecycle_stages (epic_id, stage, status, agent_id, at) values ('T001', 'research', 'active', 'ada', '2026-01-01') on conflict do nothing`,
  `insert into shared_records values ('grades', 'old', 1, 'removed', 'old', 1, 'utf8', null, 'ada', '2026-01-01')`,
  `insert into jobs (operation, agent_id, started_at) values ('x.y', 'ada', '2026-01-01')`,
];

async function openFull(): Promise<TestApp> {
  const app = await openApp({ engine: 'sqlite' });
  await fillStore(app, 40, 7);
  const must = async (operation: string, params: Json, ...more: Parameters<TestApp['call']>[2][]): Promise<void> => {
    const { error } = await app.call(operation, params, ...more);
    if (error) throw new Error(`${operation}: ${JSON.stringify(error)}`);
  };
  await must('memory.observe', { content: 'They parse café and 解析', task: 'T003', tags: ['x'] });
  await must('memory.store', { type: 'decision', content: 'As O-001 says' });
  await must('docs.add', { taskId: 'T003', slug: 'plan', title: 'Plan', content: '# Plan\nO-001' });
  await must('docs.update', { slug: 'plan', content: '# Plan 2' });
  await must('admin.token.create', { name: 'ci', scope: 'query' }, asPerson);
  await tamperRows(app);
  return app;
}

const tamperRows = ({ root }: TestApp): Promise<void> => tamperSqlite(root, `${otherRows.join(';')};`);

/** Connects to the server, and removes the schemas of the project at the end. */
const openClient = (app: TestApp): postgres.Sql => {
  const client = postgres(inject('databaseUrl'), { max: 1, onnotice: () => {} });
  const schema = toSchema(app);
  onTestFinished(async () => {
    for (const { name } of await client`select nspname as name from pg_namespace where starts_with(nspname, ${schema})`)
      await client.unsafe(`drop schema "${name}" cascade`);
    await client.end({ timeout: 5 });
  });
  return client;
};

const toSchema = (app: TestApp): string => `cleo_${readKey(app)}`;
const readKey = ({ root }: TestApp): string => JSON.parse(readFileSync(join(root, '.cleo', 'config.json'), 'utf8')).project.key;
const migrate = (app: TestApp, to: string, more: Json = {}): Promise<Json> => app.call('admin.store.migrate', { to, ...more }, asPerson);
/** Exports the project in every format. */
async function exportAll(app: TestApp): Promise<string[]> {
  const contents: string[] = [];
  // Backlog is a folder of files.
  for (const format of exportFormats.filter((name) => name !== 'backlog')) {
    const { content, error } = await app.call('tasks.export', { format });
    if (error) throw new Error(JSON.stringify(error));
    contents.push(content);
  }
  return contents;
}

test('a store moves to PostgreSQL and back with all its content, and the log still verifies', async () => {
  const app = await openFull();
  const url = inject('databaseUrl');
  const schema = toSchema(app);
  const client = openClient(app);
  const exports = await exportAll(app);
  const entries = (await app.call('admin.audit.verify')).chain.entries;
  const path = join(app.root, '.cleo', 'cleo.db');
  const before = readSqliteContent(path, entries);

  const preview = await migrate(app, url, { dryRun: true });
  expect(preview).toMatchObject({ success: true, to: { engine: 'postgres' } });
  expect(preview).not.toHaveProperty('next');
  expect(readSqliteContent(path, entries)).toEqual(before);

  const there = await migrate(app, url);
  expect(there).toMatchObject({
    success: true,
    from: { engine: 'sqlite' },
    to: { engine: 'postgres', place: url },
    next: expect.stringContaining('runs cleo trust'),
  });
  const empty = there.tables.filter(({ rows }: { rows: number }) => rows === 0).map(({ table }: { table: string }) => table);
  expect(empty, 'fill these tables in this test').toEqual([]);
  const tables = Object.keys(before.shape).filter((name) => !/^(task_search|memory_search|words|word_grams|task_ranks)/.test(name));
  expect(there.tables.map(({ table }: { table: string }) => table)).toEqual(tables.sort());
  expect((await readPostgresContent(client, schema, entries)).version).toBe(before.version);
  expect(await exportAll(app)).toEqual(exports);
  expect(JSON.stringify((await app.call('admin.doctor')).findings)).not.toContain('ranks');
  expect(await app.call('admin.audit.verify')).toMatchObject({ success: true, chain: { entries: entries + 1 } });
  expect((await app.call('admin.log', { limit: 1 })).entries[0]).toMatchObject({ operation: 'admin.store.migrate', seq: entries + 1 });
  expect((await app.call('tasks.find', { query: 'Überprüfen' })).tasks).toMatchObject([{ id: 'T001' }]);
  expect((await app.call('memory.find', { query: 'café' })).memories).toHaveLength(1);
  expect((await app.call('tasks.add', { title: 'On the server' })).success).toBe(true);
  await app.call('tasks.update', { taskId: 'T003', notes: 'A new note' });

  const back = await migrate(app, 'sqlite');
  expect(back.error).toBe(undefined);
  expect(back).toMatchObject({ success: true, from: { engine: 'postgres' }, to: { engine: 'sqlite' } });
  expect(existsSync(back.renamedTo)).toBe(true);
  expect(await app.call('admin.audit.verify')).toMatchObject({ success: true, chain: { entries: entries + 4 } });
  expect(JSON.parse(readFileSync(join(app.root, '.cleo', 'config.json'), 'utf8')).store).toEqual({ durability: 'normal' });
  expect(await app.call('admin.doctor')).toMatchObject({ success: true });
  expect((await app.call('tasks.find', { query: 'server' })).tasks).toHaveLength(1);

  const again = await migrate(app, url);
  expect(again).toMatchObject({ success: true, renamedTo: expect.stringContaining('_m') });
  expect((await migrate(app, 'sqlite')).success).toBe(true);
  expect(readdirSync(join(app.root, '.cleo')).filter((name) => name.includes('.new-'))).toEqual([]);
});

test('records in files and settings move to PostgreSQL and back', async () => {
  const app = await openApp({
    engine: 'sqlite',
    tasks: ['T001', 'research T001-a: A', 'research T001-b: B', 'trace run-a', 'review rv-1 of run-a'],
    config: { claims: { ttlMinutes: 30 }, grade: { nudge: true } },
  });
  openClient(app);
  const url = inject('databaseUrl');
  await app.call('session.start', { scope: 'task:T001', autoStart: true });
  const { session } = await app.call('session.end', { note: 'done' });
  await app.call('admin.grade', { sessionId: session.id, partial: true });
  await app.call('assess.run', { runs: ['run-a'] });
  await app.call('research.archive', { entryId: 'T001-b' });
  const paths = ['metrics/GRADES.jsonl', 'metrics/ASSESSMENTS.jsonl', 'research/MANIFEST.jsonl', 'research/MANIFEST.archive.jsonl'];
  const readAll = () =>
    [...paths, 'reviews.jsonl', 'traces/2026-01-01-run-a.jsonl', 'runs/run-a/run.json'].map((path) =>
      readFileSync(join(app.root, '.cleo', path), 'utf8'),
    );
  const removeAll = () => {
    for (const folder of ['metrics', 'research', 'traces', 'runs', 'reviews.jsonl'])
      rmSync(join(app.root, '.cleo', folder), { recursive: true, force: true });
  };
  const readConfig = () => JSON.parse(readFileSync(configFile(app), 'utf8'));
  const asked = async () => {
    const answers: Json[] = [];
    for (const operation of [
      'admin.grade.list',
      'research.list',
      'research.stats',
      'trace.list',
      'review.list',
      'trace.query',
      'trace.export',
      'assess.suggest',
    ]) {
      const { _meta, ...answer } = await app.call(operation);
      answers.push(answer);
    }
    return answers;
  };
  const [files, answers] = [readAll(), await asked()];

  expect(await migrate(app, url)).toMatchObject({ success: true });
  removeAll();
  expect(await asked()).toEqual(answers);
  expect(readAll()).toEqual(files);
  expect(await app.call('admin.config.get', { key: 'claims.ttlMinutes' })).toMatchObject({ value: 30, source: 'store' });
  await app.call('admin.config.set', { key: 'claims.ttlMinutes', value: 45 }, asPerson);
  expect(readConfig().claims.ttlMinutes).toBe(30);

  removeAll();
  expect(await migrate(app, 'sqlite')).toMatchObject({ success: true });
  expect(readAll()).toEqual(files);
  expect(await asked()).toEqual(answers);
  expect(readConfig().claims.ttlMinutes).toBe(45);
  expect(await app.call('admin.config.get', { key: 'claims.ttlMinutes' })).toMatchObject({ value: 45, source: 'project' });
  // On SQLite a file that is removed is gone.
  removeAll();
  expect((await app.call('admin.grade.list')).grades).toEqual([]);
});

test('a store that moved to SQLite stays there although the configuration of the user has an address', async () => {
  const app = await openApp({ engine: 'sqlite', tasks: ['T001'] });
  openClient(app);
  const url = inject('databaseUrl');
  await migrate(app, url);
  mkdirSync(app.env.CLEO_HOME!, { recursive: true });
  writeFileSync(join(app.env.CLEO_HOME!, 'config.json'), JSON.stringify({ store: { url } }));
  expect(await migrate(app, 'sqlite')).toMatchObject({ success: true, to: { engine: 'sqlite' } });
  expect(await app.call('admin.config.get', { key: 'store.url' })).toMatchObject({ value: '', source: 'project' });
  expect((await app.call('tasks.list')).tasks).toHaveLength(1);
});

const toMarker = (state: string, place: string): string => JSON.stringify({ state, place, at: '2026-01-01' });
const configFile = ({ root }: TestApp): string => join(root, '.cleo', 'config.json');

test('a move that was interrupted is completed, or starts again, and the place of another project is refused', async () => {
  const app = await openApp({ engine: 'sqlite', tasks: ['T001', 'T002'] });
  const url = inject('databaseUrl');
  const client = openClient(app);
  const config = readFileSync(configFile(app));
  const setMarker = (state: string): Promise<unknown> =>
    client.unsafe(`delete from "${toSchema(app)}".schema_migrations where version = -1;
      insert into "${toSchema(app)}".schema_migrations values (-1, '${toMarker(state, join(app.root, '.cleo', 'cleo.db'))}', '')`);
  expect(await migrate(app, url)).toMatchObject({ success: true });

  // Killed after the old store was marked: before the copy was activated, or before the configuration was written.
  await setMarker('incoming');
  for (let i = 0; i < 2; i++) {
    writeFileSync(configFile(app), config);
    const fresh = await reopen(app);
    const { error } = await fresh.call('tasks.add', { title: 'Too late' });
    expect(error).toMatchObject({ code: 'E_STORE_MOVED', details: { place: url } });
    expect(await migrate(fresh, 'postgres://127.0.0.1:1/other')).toMatchObject({ error: { code: 'E_STORE_MOVED' } });
    expect(await migrate(fresh, url)).toMatchObject({ success: true, isResumed: true });
    expect(await fresh.call('tasks.add', { title: 'On the server' })).toMatchObject({ success: true });
  }

  // Killed after the copy was committed: the old store is still the one in use.
  await setMarker('incoming');
  writeFileSync(configFile(app), config);
  await tamperSqlite(app.root, 'delete from schema_migrations where version = -1;');
  const fresh = await reopen(app);
  await fresh.call('tasks.add', { title: 'In the file' });
  expect(await migrate(fresh, url)).toMatchObject({ success: true, to: { engine: 'postgres' } });
  expect((await fresh.call('tasks.list')).tasks).toHaveLength(3);
  expect(await fresh.call('admin.audit.verify')).toMatchObject({ success: true });

  // Another project, and a copy of this one that is in use.
  const other = await openApp({ engine: 'sqlite', tasks: ['T001'] });
  await tamperSqlite(other.root, `update store_facts set value = 'feedfacefeedface' where name = 'replica';`);
  const { project } = JSON.parse(String(config));
  writeFileSync(configFile(other), JSON.stringify({ project }));
  const refused = { error: { code: 'E_VALIDATION_TO', message: expect.stringContaining('already has another project') } };
  expect(await migrate(other, url, { dryRun: true })).toMatchObject(refused);
  expect(await migrate(other, url)).toMatchObject(refused);
  expect(await other.call('tasks.add', { title: 'Goes on' })).toMatchObject({ success: true });
  writeFileSync(configFile(app), config);
  await tamperSqlite(app.root, 'delete from schema_migrations where version = -1;');
  expect(await migrate(await reopen(app), url)).toMatchObject({
    error: { message: expect.stringContaining('a copy of this project that is in use') },
  });
});

/** Opens the project as a new process does. */
async function reopen({ root, env }: TestApp): Promise<TestApp> {
  const platform = createPlatform(env, root, '0.0.0-test');
  const app = createApp({ ...platform, loadTrust: async () => trustOnUse(await platform.loadTrust()) });
  onTestFinished(() => app.closeStores());
  const call: TestApp['call'] = async (operation, params = {}, more = {}) =>
    (await dispatch(app, { operation, params, gateway: 'cli', ...more })).envelope;
  return { call, root, env } as TestApp;
}
