import { expect, test } from 'vitest';
import { chainStart, endChain, stepChain } from '../../src/admin/rules/audit-chain.ts';
import { openApp, type TestApp } from '../app.ts';

const now = '2026-06-01T12:00:00.000Z';
const shiftYears = (n: number): string => `${2026 + n}${now.slice(4)}`;

for (const [name, jumps] of Object.entries({
  'ten years back': [0, -10],
  'thirty years ahead': [0, 30],
  'ahead, and back again': [0, 30, 0, -10],
}))
  test(`a clock that jumps ${name} does not change the order of records`, async () => {
    const clock = { now };
    const { call } = await openApp({ clock, engine: 'sqlite' });
    const titles: string[] = [];
    for (const [i, jump] of jumps.entries()) {
      clock.now = shiftYears(jump);
      for (const part of ['a', 'b']) {
        titles.push(`Task ${i}${part}`);
        await call('tasks.add', { title: `Task ${i}${part}` });
      }
      for (const id of ['T001', 'T002']) await call('tasks.update', { taskId: id, notes: `note ${i}`, priority: i % 2 ? 'high' : 'low' });
    }
    const { tasks } = await call('tasks.list', {});
    expect(tasks.map((task: { title: string }) => task.title)).toEqual(titles);
    for (const { id } of tasks) {
      const { task } = await call('tasks.show', { taskId: id });
      expect(task.updatedAt >= task.createdAt).toBe(true);
    }
    const { task } = await call('tasks.show', { taskId: 'T001' });
    expect(task.notes.map((note: { text: string }) => note.text)).toEqual(jumps.map((_, i) => `note ${i}`));
    const { history } = await call('tasks.history', { taskId: 'T001' });
    const notes = history.filter((entry: { field: string }) => entry.field === 'notes').map((entry: { new: string }) => entry.new);
    expect([notes, notes.toReversed()]).toContainEqual(jumps.map((_, i) => `note ${i}`));
  });

test('the audit chain is valid across clock jumps', async () => {
  const clock = { now };
  const { call, store } = await openApp({ clock, engine: 'sqlite' });
  for (const jump of [0, 30, -10, 0]) {
    clock.now = shiftYears(jump);
    await call('tasks.add', { title: `In ${clock.now}` });
  }
  const chain = await store.read(async ({ audit }) =>
    endChain(
      (await audit.listLinks(0, 10)).reduce((state, link) => stepChain(state, link), chainStart),
      await audit.getHead(),
    ),
  );
  expect(chain).toMatchObject({ seq: 4 });
  expect(chain).not.toHaveProperty('broken');
});

test('a slow clock expires no claim, and a claim made far in the future can be released', async () => {
  const clock = { now };
  const app = await openApp({ clock, tasks: ['T001', 'T002'], engine: 'sqlite' });
  await app.as('first').call('tasks.start', { taskId: 'T001' });
  clock.now = shiftYears(-10);
  expect(await startTask(app, 'second', 'T001')).toBe(35);
  clock.now = shiftYears(30);
  await app.as('third').call('tasks.start', { taskId: 'T002' });
  clock.now = now;
  expect(await startTask(app, 'second', 'T002')).toBe(35);
  expect(await app.as('third').call('tasks.stop', {})).toMatchObject({ success: true });
  expect(await startTask(app, 'second', 'T002')).toBe(0);
});

test('a clock behind the newest log entry takes over no claim', async () => {
  const clock = { now };
  const app = await openApp({ clock, tasks: ['T001'], engine: 'sqlite' });
  await app.as('first').call('tasks.start', { taskId: 'T001' });
  clock.now = shiftYears(2);
  await app.as('other').call('tasks.add', { title: 'Later' });
  // After the lease but before the newest log entry: this clock is not reliable.
  clock.now = shiftYears(1);
  expect(await startTask(app, 'second', 'T001')).toBe(35);
  clock.now = shiftYears(3);
  expect(await startTask(app, 'second', 'T001')).toBe(0);
});

test('an idempotency key stays valid when the clock goes back', async () => {
  const clock = { now };
  const { call } = await openApp({ clock, engine: 'sqlite' });
  const first = await call('tasks.add', { title: 'Once' }, { idempotencyKey: 'k1' });
  clock.now = shiftYears(-10);
  const again = await call('tasks.add', { title: 'Once' }, { idempotencyKey: 'k1' });
  expect(again).toMatchObject({ task: first.task, _meta: { replayed: true } });
  expect((await call('tasks.list', {})).tasks).toHaveLength(1);
});

async function startTask(app: TestApp, agent: string, taskId: string): Promise<number> {
  const { exitCode } = await app.as(agent).reply('tasks.start', { taskId });
  return exitCode;
}
