import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';
import { setTimeZone } from '../../../test/time-zone.ts';

test.each([
  ['UTC', '2026-01-30', '2026-01-31'],
  ['Pacific/Auckland', '2026-01-31', '2026-02-01'],
  ['America/Los_Angeles', '2026-01-30', '2026-01-31'],
])('today and tomorrow are days in %s', async (zone, today, tomorrow) => {
  setTimeZone(zone);
  const { call } = await openApp({ tasks: ['T001 high', 'T002'], clock: { now: '2026-01-30T23:30:00.000Z' } });
  const due = async (taskId: string) => (await call('tasks.show', { taskId })).task.due;
  await call('tasks.add', { title: 'New', due: 'today' });
  await call('tasks.add-batch', { tasks: [{ title: 'Newer', due: 'tomorrow' }] });
  await call('tasks.update', { taskId: 'T002', due: '0d' });
  expect([await due('T003'), await due('T004'), await due('T002')]).toEqual([today, tomorrow, today]);
  const { tasks } = await call('tasks.list', { due: 'today' });
  expect(tasks.map(({ id }: { id: string }) => id)).toEqual(['T002', 'T003']);
});

test('a task is overdue when its day has ended in the time zone of the machine', async () => {
  const clock = { now: '2026-01-30T23:30:00.000Z' };
  const { call } = await openApp({ tasks: ['T001'], clock });
  await call('tasks.update', { taskId: 'T001', due: '2026-01-30' });
  const explain = async () => JSON.stringify((await call('tasks.next')).recommendation.reasons);
  setTimeZone('America/Los_Angeles');
  expect(await explain()).toContain('due on 2026-01-30');
  setTimeZone('Pacific/Auckland');
  expect(await explain()).toContain('overdue since 2026-01-30');
  expect((await call('orchestrate.ready')).tasks).toHaveLength(1);
});
