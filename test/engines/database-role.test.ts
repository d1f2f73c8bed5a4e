import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import type { Operation } from '../../src/core/define.ts';
import { registry } from '../../src/core/index.generated.ts';
import { dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { asPerson, openApp, type TestApp } from '../app.ts';
import { readProjectKey } from '../folder.ts';
import { startServer } from '../http-server.ts';
import { needsPerson } from '../person-token.ts';

/** The statements of the guide. */
const page = readFileSync(resolve(import.meta.dirname, '../../docs/guide/team-server-operation.md'), 'utf8');
const [, statements = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
const role = `cleo_serve_${process.pid}`;
const password = 'correct-horse';
const [create = '', ...grants] = statements.replace(/^--.*\n/gm, '').split(/;\s*\n/);
const name = (sql: string, schema: string): string =>
  sql
    .replaceAll('cleo_serve', role)
    .replaceAll('cleo_parser_1a2b3c4d', `"${schema}"`)
    .replace('database cleo ', `database "${new URL(inject('serverUrl')).pathname.slice(1)}" `);

let admin: postgres.Sql;
beforeAll(async () => {
  admin = postgres(inject('serverUrl'), { max: 1, onnotice: () => {} });
  await admin.unsafe(name(create, '').replace("'…'", `'${password}'`));
});
afterAll(async () => {
  await admin.unsafe(`drop owned by ${role} cascade; drop role ${role}`);
  await admin.end({ timeout: 5 });
});

/** Opens a project, and the same project with the role of the guide. */
async function openWithRole(tasks: string[] = []): Promise<{ app: TestApp; env: Record<string, string>; schema: string; url: string }> {
  const app = await openApp({ engine: 'postgres', tasks });
  const schema = `cleo_${readProjectKey(app.root)}`;
  for (const statement of grants.filter((text) => text.trim() !== '')) await admin.unsafe(name(statement, schema));
  const address = new URL(inject('serverUrl'));
  address.username = role;
  address.password = password;
  const url = address.href;
  return { app, schema, url, env: { ...app.env, CLEO_DATABASE_URL: url } };
}

const loaded = await Promise.all(registry.entries.map(({ name }) => registry.load(name)));
/** Operations that need the owner of the schema. */
const forOwner = ['admin.init', 'admin.store.migrate', 'admin.upgrade', 'admin.backup.create', 'admin.backup.restore'];
const writing = loaded.filter(({ kind, needs, name }) => kind !== 'query' && needs === 'store' && !forOwner.includes(name));

test.each(writing.map((operation): [string, Operation] => [operation.name, operation]))('the role may call %s', async (_, operation) => {
  const { call, world, exit = 0 } = operation.example;
  const { app, env } = await openWithRole(world);
  const own = createApp(createPlatform(env, app.root, '0.0.0-test'));
  onTestFinished(() => own.closeStores());
  const person = needsPerson(operation) ? asPerson : {};
  const { envelope, exitCode } = await dispatch(own, { operation: operation.name, params: call, gateway: 'cli', ...person });
  expect(JSON.stringify(envelope.error ?? {})).not.toContain('permission denied');
  expect(exitCode).toBe(exit);
});

test('a server with the role reads, writes, waits, checks its health and passes doctor --store', async () => {
  const { app, env } = await openWithRole(['T001']);
  const server = await startServer({ ...app, env });
  expect(await server.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  const waiting = server.post('mutate/tasks/claim-next', { wait: true, timeout: 10 }, { 'cleo-agent': 'worker' });
  expect((await waiting).body).toMatchObject({ task: { id: 'T001' } });
  expect((await server.post('mutate/tasks/add', { title: 'x' })).status).toBe(200);
  const { body } = await server.post('query/admin/doctor.store');
  expect(body).toMatchObject({ success: true, findings: [] });
  expect(body.checks).toContainEqual({ check: 'rights', ok: true, detail: `${role}; can only append to the audit log` });
});

test('the role can neither change the log nor the schema', async () => {
  const { app, schema, url } = await openWithRole();
  await app.call('tasks.add', { title: 'x' });
  const client = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => client.end({ timeout: 5 }));
  for (const statement of [
    'update audit_log set agent_id = agent_id',
    'delete from audit_log',
    'truncate audit_log',
    'delete from audit_head',
    'alter table audit_log disable trigger all',
    'drop trigger audit_log_not_truncated on audit_log',
    'drop table tasks',
    'create table mine (id text)',
    "update schema_migrations set checksum = 'x'",
    'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
  ])
    await expect(client.unsafe(`set search_path to "${schema}", public; ${statement}`), statement).rejects.toMatchObject({ code: '42501' });
  expect((await client.unsafe(`select count(*)::int as n from "${schema}".audit_log`))[0]).toEqual({ n: 1 });
});

test('an older schema is refused with 8, and the role cannot upgrade it', async () => {
  const { app, env, schema } = await openWithRole(['T001']);
  await admin.unsafe(`delete from "${schema}".schema_migrations where version = (select max(version) from "${schema}".schema_migrations)`);
  const own = createApp(createPlatform(env, app.root, '0.0.0-test'));
  onTestFinished(() => own.closeStores());
  const ask = (operation: string) =>
    dispatch(own, { operation, params: operation === 'tasks.show' ? { taskId: 'T001' } : {}, gateway: 'cli', ...asPerson });
  expect(await ask('tasks.show')).toMatchObject({ exitCode: 8, envelope: { error: { code: 'E_STORE_OLDER' } } });
  const { envelope } = await ask('admin.upgrade');
  expect(envelope).toMatchObject({ success: false, error: { exitCode: 3 } });
  expect(await ask('tasks.show')).toMatchObject({ exitCode: 8 });
});
