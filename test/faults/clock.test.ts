import { expect, test } from 'vitest';
import { chainEnd, chainStart, chainStep } from '../../src/admin/rules/chain.ts';
import { openApp, type TestApp } from '../app.ts';

const now = '2026-06-01T12:00:00.000Z';
const years = (n: number): string => `${2026 + n}${now.slice(4)}`;

for (const [name, jumps] of Object.entries({
  'ten years back': [0, -10],
  'thirty years ahead': [0, 30],
  'ahead, and back again': [0, 30, 0, -10],
}))
  test(`a clock that goes ${name} keeps the order of everything`, async () => {
    const clock = { now };
    const { call } = await openApp({ clock, engine: 'sqlite' });
    const titles: string[] = [];
    for (const [i, jump] of jumps.entries()) {
      clock.now = years(jump);
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

test('the audit chain holds across jumps of the clock', async () => {
  const clock = { now };
  const { call, store } = await openApp({ clock, engine: 'sqlite' });
  for (const jump of [0, 30, -10, 0]) {
    clock.now = years(jump);
    await call('tasks.add', { title: `In ${clock.now}` });
  }
  const chain = await store.read(async ({ audit }) =>
    chainEnd(
      (await audit.listLinks(0, 10)).reduce((state, link) => chainStep(state, link), chainStart),
      await audit.getHead(),
    ),
  );
  expect(chain).toMatchObject({ seq: 4 });
  expect(chain).not.toHaveProperty('broken');
});

test('a clock behind expires no claim, and one that was taken far ahead can still be let go', async () => {
  const clock = { now };
  const app = await openApp({ clock, tasks: ['T001', 'T002'], engine: 'sqlite' });
  await app.as('first').call('tasks.start', { taskId: 'T001' });
  clock.now = years(-10);
  expect(await start(app, 'second', 'T001')).toBe(35);
  clock.now = years(30);
  await app.as('third').call('tasks.start', { taskId: 'T002' });
  clock.now = now;
  expect(await start(app, 'second', 'T002')).toBe(35);
  expect(await app.as('third').call('tasks.stop', {})).toMatchObject({ success: true });
  expect(await start(app, 'second', 'T002')).toBe(0);
});

test('whoever is behind the newest entry of the log takes nothing over', async () => {
  const clock = { now };
  const app = await openApp({ clock, tasks: ['T001'], engine: 'sqlite' });
  await app.as('first').call('tasks.start', { taskId: 'T001' });
  clock.now = years(2);
  await app.as('other').call('tasks.add', { title: 'Later' });
  // Past the end of the claim, yet before what the log has seen: this clock cannot be trusted to judge.
  clock.now = years(1);
  expect(await start(app, 'second', 'T001')).toBe(35);
  clock.now = years(3);
  expect(await start(app, 'second', 'T001')).toBe(0);
});

test('an idempotency key is remembered when the clock goes back', async () => {
  const clock = { now };
  const { call } = await openApp({ clock, engine: 'sqlite' });
  const first = await call('tasks.add', { title: 'Once' }, { idempotencyKey: 'k1' });
  clock.now = years(-10);
  const again = await call('tasks.add', { title: 'Once' }, { idempotencyKey: 'k1' });
  expect(again).toMatchObject({ task: first.task, _meta: { replayed: true } });
  expect((await call('tasks.list', {})).tasks).toHaveLength(1);
});

async function start(app: TestApp, agent: string, taskId: string): Promise<number> {
  const { exitCode } = await app.as(agent).reply('tasks.start', { taskId });
  return exitCode;
}
