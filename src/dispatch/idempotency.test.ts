import { expect, test } from 'vitest';
import { openApp } from '../../test/app.ts';

const key = { idempotencyKey: 'k1' };

test('replays a response for 24 hours, then runs the operation again', async () => {
  const clock = { now: '2026-01-01T00:00:00.000Z' };
  const { call } = await openApp({ clock });
  const first = await call('tasks.add', { title: 'Once' }, key);
  clock.now = '2026-01-01T23:59:59.000Z';
  expect(await call('tasks.add', { title: 'Once' }, key)).toMatchObject({ task: { id: first.task.id }, _meta: { replayed: true } });
  clock.now = '2026-01-02T00:00:01.000Z';
  const second = await call('tasks.add', { title: 'Once' }, key);
  expect(second).toMatchObject({ success: true, task: { id: 'T002' } });
  expect(second._meta).not.toHaveProperty('replayed');
});

test('a key belongs to one operation', async () => {
  const { call } = await openApp();
  await call('tasks.add', { title: 'One' }, key);
  expect(await call('saga.create', { title: 'One' }, key)).toMatchObject({ success: true, task: { id: 'T002', type: 'saga' } });
});
