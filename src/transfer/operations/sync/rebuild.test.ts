import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dispatch } from '../../../../src/dispatch/dispatch.ts';
import { createApp } from '../../../../src/main.ts';
import { createPlatform } from '../../../../src/platform/platform.ts';
import { asPerson, type Json, openApp, type TestApp } from '../../../../test/app.ts';

/** Calls as a new process does: the connections of the test project still have the database that was removed. */
async function callFresh(app: TestApp, operation: string, params: Json = {}, more = {}): Promise<Json> {
  const fresh = createApp(createPlatform(app.env, app.root, '0.0.0-test'));
  const { envelope } = await dispatch(fresh, { operation, params, gateway: 'cli', ...more });
  // A store that could not be opened cannot be closed.
  await fresh.closeStores().catch(() => {});
  return envelope;
}

const removeStore = ({ root }: TestApp): void => {
  for (const name of readdirSync(join(root, '.cleo')).filter((each) => each.startsWith('cleo.db'))) rmSync(join(root, '.cleo', name));
};

test('restores a lost store, continues the numbers, and begins the log with the old head', async () => {
  const app = await openApp({ engine: 'sqlite', tasks: ['T001 epic', 'T002 in T001'] });
  await app.call('sync.run');
  await app.call('tasks.add', { title: 'Never published' });
  await app.call('admin.backup.create');
  await app.call('sync.run');
  const facts = JSON.parse(readFileSync(join(app.root, '.cleo', 'local.json'), 'utf8'));
  const [backups] = [join(app.root, '.cleo', 'backups')];
  rmSync(backups, { recursive: true });
  for (const name of readdirSync(join(app.root, '.cleo', 'plan', 'tasks')).slice(2)) rmSync(join(app.root, '.cleo', 'plan', 'tasks', name));
  removeStore(app);
  expect(await callFresh(app, 'tasks.list')).toMatchObject({
    error: { code: 'E_STORE_DAMAGED', fix: expect.stringContaining('--rebuild') },
  });
  expect(await callFresh(app, 'sync.rebuild')).toMatchObject({ error: { exitCode: 64 } });
  expect(await callFresh(app, 'sync.rebuild', {}, asPerson)).toMatchObject({ success: true, rebuilt: 2 });
  expect((await callFresh(app, 'tasks.list')).tasks).toHaveLength(2);
  expect((await callFresh(app, 'tasks.add', { title: 'Next' })).task.id).toBe('T004');
  const { entries } = await callFresh(app, 'admin.log', { limit: 50 });
  const first = (entries as Json[]).at(-1)!;
  expect(JSON.stringify(first)).toContain(facts.auditHead.hash);
});

test('leaves a store that is not damaged, and names the way out without plan files', async () => {
  const app = await openApp({ engine: 'sqlite', tasks: ['T001'] });
  expect(await app.call('sync.rebuild', {}, asPerson)).toMatchObject({ success: true, rebuilt: 0, _meta: { exitCode: 102 } });
  removeStore(app);
  expect(await callFresh(app, 'sync.rebuild', {}, asPerson)).toMatchObject({ error: { exitCode: 8, fix: 'cleo init' } });
});

test('builds the store of a fresh clone once, and the answer of a server says so', async () => {
  const app = await openApp({ engine: 'sqlite', tasks: ['T001'] });
  await app.call('sync.run');
  removeStore(app);
  rmSync(join(app.root, '.cleo', 'local.json'));
  expect((await callFresh(app, 'tasks.show', { taskId: 'T001' }))._meta.warnings).toEqual([
    'built the task database of this clone from .cleo/plan (1 record)',
  ]);
  expect((await callFresh(app, 'tasks.show', { taskId: 'T001' }))._meta.warnings).toBeUndefined();
});

test('a fresh clone skips a plan file that is a link or is broken', async () => {
  const app = await openApp({ engine: 'sqlite', tasks: ['T001', 'T002'] });
  await app.call('sync.run');
  const folder = join(app.root, '.cleo', 'plan', 'tasks');
  const [name = ''] = readdirSync(folder);
  writeFileSync(join(folder, name), '{');
  removeStore(app);
  rmSync(join(app.root, '.cleo', 'local.json'));
  const { _meta, tasks } = await callFresh(app, 'tasks.list');
  expect(tasks).toHaveLength(1);
  expect(_meta.warnings[0]).toContain('1 file could not be read: cleo doctor');
  expect((await callFresh(app, 'admin.doctor')).findings).toEqual([
    expect.objectContaining({ check: 'plan', severity: 'error', message: expect.stringContaining(`${name}, line 1`) }),
  ]);
});
