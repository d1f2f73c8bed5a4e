import { chmodSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { dispatch } from '#dispatch/dispatch.ts';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { type AppOptions, asPerson, openApp, type TestApp } from '../../test/app.ts';
import { createTempFolder } from '../../test/temp-folder.ts';
import { buildWorld } from '../../test/world.ts';
import { openSqlite } from './dialects/sqlite.ts';
import { createSqlite } from './dialects/sqlite-schema.ts';
import type { Store } from './port/store.ts';
import { openServerStore } from './server-store.ts';

const stamp = { at: '2026-01-02T00:00:00.000Z', by: 'tester' };

/** Opens an app whose calls run concurrently, and the same store as another process sees it. */
async function openServer(options: AppOptions = {}) {
  const app = await openApp(options);
  const server = createApp(createPlatform(app.env, app.root, '0.0.0-test'), { isServer: true });
  onTestFinished(() => server.closeStores());
  const call = async (operation: string, params: Record<string, unknown> = {}) =>
    (await dispatch(server, { operation, params, gateway: 'http' })).envelope;
  return { app, server, call, store: await server.openStore('read') };
}

/** Takes the write lock as another process would; returns a function that releases it. */
async function takeLock(app: TestApp): Promise<() => Promise<void>> {
  const other = await app.openSecondStore();
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let begun = (): void => {};
  const isHeld = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const done = other.write(stamp, async () => {
    begun();
    await held;
  });
  await isHeld;
  return async () => {
    letGo();
    await done;
  };
}

const taskExists = (store: Store, id: string): Promise<boolean> => store.read((reads) => reads.tasks.exists(id));

test('serves 64 clients that read and write without an error', async () => {
  const { call, app } = await openServer({ tasks: ['T001'] });
  const answers = await Promise.all(
    Array.from({ length: 64 }, async (_, client) => {
      const seen: boolean[] = [];
      for (let round = 0; round < 4; round++) {
        const write = await call('tasks.add', { title: `Task ${round} of client ${client}` });
        seen.push(write.success, (await call('tasks.show', { taskId: (write.task as { id: string }).id })).success);
      }
      return seen;
    }),
  );
  expect(answers.flat().filter((isDone) => !isDone)).toEqual([]);
  expect(await app.call('tasks.list', { limit: 1 })).toMatchObject({ _meta: { truncated: { total: 257 } } });
});

test('a slow write does not delay reads', async () => {
  const { store } = await openServer({ tasks: ['T001'] });
  let isDone = false;
  const slow = store
    .write(stamp, async () => {
      await sleep(400);
    })
    .then(() => {
      isDone = true;
    });
  for (let i = 0; i < 20; i++) expect(await taskExists(store, 'T001')).toBe(true);
  expect(isDone).toBe(false);
  await slow;
});

test('slow reads delay neither writes nor other reads while a connection is free', async () => {
  const { store } = await openServer({ tasks: ['T001'] });
  // A server keeps two connections for reads to PostgreSQL.
  const count = process.env.CLEO_TEST_ENGINE === 'postgres' ? 1 : 3;
  let open = count;
  const slow = Array.from({ length: count }, () =>
    store.read(async () => {
      await sleep(400);
      open--;
    }),
  );
  await store.write(stamp, (writes) => writes.tasks.reserveIds('T010'));
  expect(await taskExists(store, 'T001')).toBe(true);
  expect(open).toBe(count);
  await Promise.all(slow);
  const many = Array.from({ length: 20 }, () => store.read(() => sleep(5)));
  await Promise.all(many);
});

test('a read sees one snapshot; the next read sees later writes', async () => {
  const { store, call } = await openServer({ tasks: ['T001'] });
  const seen = await store.read(async (reads) => {
    const before = await reads.tasks.count({}, 10);
    await call('tasks.add', { title: 'During the read' });
    return [before, await reads.tasks.count({}, 10)];
  });
  expect(seen).toEqual([1, 1]);
  expect(await store.read((reads) => reads.tasks.count({}, 10))).toBe(2);
});

test('waits for the lock of another process without blocking other calls', async () => {
  const { app, call } = await openServer({ tasks: ['T001'] });
  const release = await takeLock(app);
  const write = call('tasks.add', { title: 'Waits' });
  let ticks = 0;
  const clock = setInterval(() => ticks++, 5);
  for (let i = 0; i < 10; i++) {
    await sleep(20);
    expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({ success: true });
  }
  clearInterval(clock);
  // The wait takes 200 ms. A process that waits inside SQLite would not tick once; a busy machine skips some of 40.
  expect(ticks).toBeGreaterThan(5);
  await release();
  expect(await write).toMatchObject({ success: true, task: { id: 'T002' } });
});

test('every waiting call times out with exit code 7 after its own timeout', async () => {
  const { app, call } = await openServer({ tasks: ['T001'], config: { store: { busyTimeoutMs: 300 } } });
  const release = await takeLock(app);
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => call('tasks.add', { title: `Task ${i}` })));
  const tookMs = performance.now() - began;
  expect(answers.map((answer) => answer._meta.exitCode)).toEqual(Array(8).fill(7));
  expect(tookMs).toBeGreaterThan(290);
  expect(tookMs).toBeLessThan(1500);
  await release();
  expect(await call('tasks.add', { title: 'Now' })).toMatchObject({ success: true, task: { id: 'T002' } });
});

test('a closed store opens again, also for callers that already have it', async () => {
  const { store, server, call } = await openServer({ tasks: ['T001'] });
  expect(await taskExists(store, 'T001')).toBe(true);
  await server.closeStores();
  expect(await taskExists(store, 'T001')).toBe(true);
  expect(await call('tasks.add', { title: 'Still' })).toMatchObject({ success: true });
  await store.close();
});

test('rejects a schema that was changed while the server runs, and accepts it when it is restored', async () => {
  const { app, call } = await openServer({ tasks: ['T001'] });
  expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({ success: true });
  await app.tamper(`insert into schema_migrations (version, checksum, applied_at) values (999, 'x', 'now')`);
  expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({ error: { code: 'E_STORE_NEWER' } });
  expect(await call('tasks.add', { title: 'No' })).toMatchObject({ error: { code: 'E_STORE_NEWER' } });
  await app.tamper('delete from schema_migrations where version = 999');
  expect(await call('tasks.add', { title: 'Yes' })).toMatchObject({ success: true });
});

test('readers and the writer see a restored store at once', async () => {
  const { app, call } = await openServer({ tasks: ['T001'], engine: 'sqlite' });
  const { backup } = (await call('admin.backup.create')) as unknown as { backup: { id: string } };
  await call('tasks.add', { title: 'After the backup' });
  expect(await call('tasks.show', { taskId: 'T002' })).toMatchObject({ success: true });
  expect(await app.call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({ success: true });
  expect(await call('tasks.show', { taskId: 'T002' })).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
  expect(await call('tasks.add', { title: 'Next' })).toMatchObject({ success: true, task: { id: 'T003' } });
});

test('readers and the writer notice a replaced database, and report a missing one', async () => {
  const { app, call } = await openServer({ tasks: ['T001'], engine: 'sqlite' });
  const other = await openApp({ tasks: ['T001', 'T002: Elsewhere'], engine: 'sqlite' });
  expect(await call('tasks.exists', { taskId: 'T002' })).toMatchObject({ exists: false });
  const database = join(app.root, '.cleo', 'cleo.db');
  for (const end of ['', '-wal', '-shm']) rmSync(`${database}${end}`, { force: true });
  expect(await call('tasks.exists', { taskId: 'T002' })).toMatchObject({ error: { code: 'E_STORE_DAMAGED' } });
  for (const end of ['', '-wal', '-shm']) renameSync(join(other.root, '.cleo', `cleo.db${end}`), `${database}${end}`);
  expect(await call('tasks.exists', { taskId: 'T002' })).toMatchObject({ exists: true });
  expect(await call('tasks.add', { title: 'Here' })).toMatchObject({ task: { id: 'T003' } });
});

test('finds a project that is created after the server started', async () => {
  const { app } = await openServer({ engine: 'sqlite' });
  const away = join(app.root, '..', `${app.root.split('/').at(-1)}-away`);
  renameSync(join(app.root, '.cleo'), away);
  const server = createApp(createPlatform(app.env, app.root, '0.0.0-test'), { isServer: true });
  const call = async (operation: string) => (await dispatch(server, { operation, params: {}, gateway: 'http' })).envelope;
  expect(await call('tasks.list')).toMatchObject({ error: { code: 'E_NOT_INITIALIZED' } });
  renameSync(away, join(app.root, '.cleo'));
  expect(await call('tasks.list')).toMatchObject({ success: true });
  await server.closeStores();
});

test('a reader in a read-only folder sees the writes of others', async () => {
  const folder = createTempFolder();
  const path = join(folder, 'cleo.db');
  await createSqlite(path, stamp.at);
  chmodSync(folder, 0o755);
  // Another user reads it, as in a team that opened its files to readers.
  chmodSync(path, 0o644);
  const options = { path, busyTimeoutMs: 1000, durability: 'full' as const, newestBackup: () => undefined };
  const reader = await openServerStore({ sqlite: options });
  const count = async (): Promise<number> => {
    // Root can write everywhere, so read as the user nobody.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      return await reader.read((reads) => reads.tasks.count({}, 10));
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  };
  expect(await count()).toBe(0);
  const writer = openSqlite({ ...options, mode: 'write' });
  await buildWorld(writer, ['T001']);
  await writer.close();
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  expect(await count()).toBe(1);
  await reader.close();
});
