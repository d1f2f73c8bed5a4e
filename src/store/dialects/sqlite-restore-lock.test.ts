import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../../test/temp-folder.ts';
import type { Store } from '../port/store.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';
import { leaseMs } from './sqlite-restore-lock.ts';
import { createSqlite } from './sqlite-schema.ts';

const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'tester' };
const open = (path: string, more: Partial<SqliteOptions> = {}): Store =>
  openSqlite({ path, mode: 'write', busyTimeoutMs: 1000, durability: 'normal', newestBackup: () => undefined, ...more });
const takeId = (store: Store): Promise<string> => store.write(stamp, ({ tasks }) => tasks.nextId());
const isBlocked = expect.objectContaining({ code: 'E_LOCK_TIMEOUT', exitCode: 7, message: expect.stringContaining('is being restored') });

async function createStore(): Promise<string> {
  const path = join(createTempFolder(), 'cleo.db');
  await createSqlite(path, stamp.at);
  return path;
}

test('a write waits while a backup is restored, and ignores the lock of a killed process', async () => {
  const path = await createStore();
  const lock = `${path}.restoring`;
  writeFileSync(lock, String(process.pid));
  const store = open(path);
  const added = takeId(store);
  await sleep(100);
  expect(await open(path, { mode: 'read' }).read(({ tasks }) => tasks.count({}, 1))).toBe(0);
  await expect(takeId(open(path, { busyTimeoutMs: 50 }))).rejects.toThrow(isBlocked);
  rmSync(lock);
  expect(await added).toBe('T001');
  writeFileSync(lock, '2147483646');
  expect(await takeId(store)).toBe('T002');
  expect(existsSync(lock)).toBe(false);
});

test('the lock of a restore on another host holds until its lease ends', async () => {
  const path = await createStore();
  const lock = `${path}.restoring`;
  // The process id says nothing about another host.
  writeFileSync(lock, JSON.stringify({ pid: 2_147_483_646, host: 'another-host' }));
  await expect(takeId(open(path, { busyTimeoutMs: 50 }))).rejects.toThrow(isBlocked);
  const before = new Date(Date.now() - leaseMs - 1000);
  utimesSync(lock, before, before);
  expect(await takeId(open(path))).toBe('T001');
  expect(existsSync(lock)).toBe(false);
  writeFileSync(lock, JSON.stringify({ pid: 2_147_483_646, host: hostname() }));
  expect(await takeId(open(path))).toBe('T002');
});
