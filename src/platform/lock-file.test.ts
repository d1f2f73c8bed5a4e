import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acquireLock } from './lock-file.ts';
import { readBootId } from './processes.ts';

function folder(holder?: object): string {
  const made = mkdtempSync(join(tmpdir(), 'cleo-lock-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  if (holder) writeFileSync(join(made, 'x.lock'), JSON.stringify(holder));
  return made;
}
const dead = { pid: 2 ** 22 + 1, began: '1', boot: readBootId() };

test('refuses a second holder with 75 until the lock is released', async () => {
  const place = folder();
  const lock = await acquireLock(place, 'x', 0);
  await expect(acquireLock(place, 'x', 60)).rejects.toMatchObject({ exitCode: 75, details: { pid: process.pid } });
  lock.release();
  expect(readdirSync(place)).toEqual([]);
  (await acquireLock(place, 'x', 0)).release();
});

test.each([
  ['of a dead process', dead],
  ['from before the last boot', { ...dead, pid: process.pid, boot: 'another' }],
  ['whose pid was assigned again', { ...dead, pid: process.pid }],
])('takes over a lock %s with a warning', async (_, holder) => {
  const { warning, release } = await acquireLock(folder(holder), 'x', 0);
  expect(warning).toBe(`took over the lock of process ${holder.pid}, which is gone`);
  release();
});

test('is held by one process at a time when many take over a dead lock', async () => {
  const place = folder(dead);
  let [now, most, done] = [0, 0, 0];
  const one = async (): Promise<void> => {
    const { release } = await acquireLock(place, 'x', 20_000);
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 2));
    now -= 1;
    done += 1;
    release();
  };
  await Promise.all(Array.from({ length: 12 }, one));
  expect([most, done, readdirSync(place)]).toEqual([1, 12, []]);
});

test('removes old files of killed lock takers, but not those of living ones', async () => {
  const place = folder();
  const put = (name: string, text: string, age = 6): void => {
    writeFileSync(join(place, name), text);
    const changed = new Date(Date.now() - 1000 * age);
    utimesSync(join(place, name), changed, changed);
  };
  const gone = `tmp-${dead.pid}-abc`;
  put(`x.lock.${gone}`, JSON.stringify(dead));
  put(`another.lock.${gone}`, '');
  put(`x.taking.lock.${gone}`, JSON.stringify(dead));
  put('x.taking.lock', JSON.stringify(dead));
  const kept = { own: `y.lock.tmp-${process.pid}-abc`, fresh: `y.lock.${gone}` };
  put(kept.own, '');
  // It can be a draft of a process in another container.
  put(kept.fresh, JSON.stringify(dead), 0);
  put('another.lock', JSON.stringify(dead));
  const { release } = await acquireLock(place, 'x', 0);
  release();
  // Another lock stays: the process that takes it over reports the abandoned run.
  expect(readdirSync(place).sort()).toEqual(['another.lock', kept.own, kept.fresh].sort());
});

test('waits for a lock that cannot be removed, instead of trying it again and again', async () => {
  const place = folder();
  const lock = join(place, 'x.lock');
  mkdirSync(lock);
  utimesSync(lock, new Date(0), new Date(0));
  await expect(acquireLock(place, 'x', 60)).rejects.toMatchObject({ exitCode: 75 });
  expect(readdirSync(place)).toEqual(['x.lock']);
});
