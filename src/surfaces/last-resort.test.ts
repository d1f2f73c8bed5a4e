import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLastResort } from './last-resort.ts';

test('fails the request from whose callback an exception escaped, and no other', async () => {
  const failed: string[] = [];
  const resort = createLastResort(
    () => {},
    () => {},
  );
  const run = (name: string, isBroken: boolean): Promise<void> =>
    resort
      .guard(async () => {
        await sleep(1);
        if (isBroken) setImmediate(() => resort.handle(new Error('escaped'), 0));
        await sleep(5);
      })
      .catch(() => void failed.push(name));
  await Promise.all([run('a', false), run('b', true), run('c', false)]);
  expect(failed).toEqual(['b']);
});

test('guards requests again after a time without any', async () => {
  const resort = createLastResort(
    () => {},
    () => {},
  );
  expect(await resort.guard(async () => 'done')).toBe('done');
  const broken = resort.guard(async () => {
    setImmediate(() => resort.handle(new Error('escaped'), 0));
    await sleep(5);
  });
  await expect(broken).rejects.toThrow('escaped');
});

test('reports an exception that belongs to no request', () => {
  const reported: unknown[] = [];
  createLastResort(
    (error) => reported.push(error),
    () => {},
  ).handle('odd', 0);
  expect(reported).toEqual(['odd']);
});

test('gives up once, after more than twenty exceptions in a minute', () => {
  let ends = 0;
  const resort = createLastResort(
    () => {},
    () => ends++,
  );
  for (let i = 0; i < 40; i++) resort.handle(new Error('slow'), i * 4000);
  expect([ends, resort.hasGivenUp()]).toEqual([0, false]);
  for (let i = 0; i < 40; i++) resort.handle(new Error('fast'), 160_000 + i);
  expect([ends, resort.hasGivenUp()]).toEqual([1, true]);
});
