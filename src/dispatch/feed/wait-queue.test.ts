import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type AttemptResult, createWaitQueue, type Waiter } from './wait-queue.ts';

/** A queue over a list of ids. A waiter takes the first id that `wants` accepts. */
function createWorld(ids: string[]) {
  const free = new Set(ids);
  const tries: string[] = [];
  let searches = 0;
  const queue = createWaitQueue(async () => {
    searches++;
    return { ids: [...free] };
  });
  const enter = (name: string, wants: (id: string) => boolean = () => true): Waiter => {
    const waiter: Waiter = {
      async attempt(): Promise<AttemptResult> {
        tries.push(name);
        await sleep(1);
        const id = [...free].find(wants);
        if (id === undefined) return 'nothing';
        free.delete(id);
        taken.push(`${name} ${id}`);
        queue.check([id]);
        return { taken: [id] };
      },
    };
    queue.enter(waiter);
    return waiter;
  };
  const taken: string[] = [];
  const add = (...more: string[]): void => {
    for (const id of more) free.add(id);
    queue.check(more);
  };
  return { queue, enter, add, tries, taken, countSearches: () => searches };
}

test('wakes as many waiters as there are tasks, oldest first', async () => {
  const { enter, add, tries, taken, queue } = createWorld([]);
  for (const name of ['a', 'b', 'c', 'd']) enter(name);
  await sleep(10);
  expect(tries).toEqual([]);
  add('T1', 'T2');
  await sleep(30);
  expect(tries).toEqual(['a', 'b']);
  expect(taken.map((line) => line.slice(0, 1))).toEqual(['a', 'b']);
  add('T3');
  await sleep(30);
  expect(tries).toEqual(['a', 'b', 'c']);
  queue.stop();
});

test('offers work that the oldest cannot have to the next, and tries nobody twice for it', async () => {
  const { enter, add, tries, taken, queue } = createWorld([]);
  enter('a', (id) => id === 'T9');
  enter('b');
  add('T1');
  await sleep(30);
  expect(tries).toEqual(['a', 'b']);
  enter('c', () => false);
  add('T2');
  await sleep(30);
  add('T3');
  await sleep(30);
  expect(tries).toEqual(['a', 'b', 'a', 'c', 'a', 'c']);
  add('T9');
  await sleep(30);
  expect(taken).toEqual(['b T1', 'a T9']);
  queue.stop();
});

test('tries again for work that was changed', async () => {
  const { enter, tries, queue } = createWorld(['T1']);
  enter('a', () => false);
  await sleep(20);
  queue.check([]);
  await sleep(20);
  expect(tries).toEqual(['a']);
  queue.check(['T1']);
  await sleep(20);
  expect(tries).toEqual(['a', 'a']);
  queue.stop();
});

test('tries a waiter again for work that was found during its attempt', async () => {
  const free = ['T1'];
  const endings: ((result: AttemptResult) => void)[] = [];
  const queue = createWaitQueue(async () => ({ ids: [...free] }));
  queue.enter({ attempt: () => new Promise((end) => endings.push(end)) });
  await sleep(10);
  free.push('T2');
  queue.check(['T2']);
  await sleep(10);
  endings[0]!('nothing');
  await sleep(10);
  expect(endings).toHaveLength(2);
  queue.stop();
});

test('searches nothing while nothing changes and while nobody waits', async () => {
  const { enter, queue, countSearches, add } = createWorld([]);
  add('T0');
  expect(countSearches()).toBe(0);
  const waiter = enter('a', () => false);
  await sleep(50);
  const before = countSearches();
  await sleep(100);
  expect(countSearches()).toBe(before);
  queue.leave(waiter);
  add('T1');
  await sleep(20);
  expect(countSearches()).toBe(before);
});
