import { describe, expect, test } from 'vitest';
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

describe('the key of a job', () => {
  const entry = {
    id: 'T001-parsers',
    file: 'parsers.md',
    title: 'Parsers',
    status: 'complete',
    agentType: 'research',
    linkedTasks: ['T001'],
  };

  test('can be used again after a failure', async () => {
    const { call } = await openApp();
    expect(await call('research.add', entry, key)).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
    await call('tasks.add', { title: 'Parsers' });
    const second = await call('research.add', entry, key);
    expect(second).toMatchObject({ success: true });
    expect(second._meta).not.toHaveProperty('replayed');
  });

  test('can be used again after a dry run', async () => {
    const { call } = await openApp({ tasks: ['T001 done', 'research T001-parsers: Parsers'] });
    expect(await call('research.archive', { dryRun: true }, key)).toMatchObject({ data: { dryRun: true } });
    const second = await call('research.archive', {}, key);
    expect(second).toMatchObject({ success: true, archived: ['T001-parsers'] });
    expect(second._meta).not.toHaveProperty('replayed');
  });

  test('is busy for ten minutes while its job runs; without a running job the outcome is unknown', async () => {
    const clock = { now: '2026-01-01T00:00:00.000Z' };
    const app = await openApp({ tasks: ['T001'], clock });
    await app.call('research.add', entry, key);
    await app.tamper('update idempotency_keys set answer = null');
    const readCode = async () => (await app.call('research.add', entry, key)).error.code;
    expect(await readCode()).toBe('E_OUTCOME_UNKNOWN');
    const start = (operation: string) =>
      app.store.write({ at: clock.now, by: 'other' }, (writes) => writes.jobs.start(operation, 'other', clock.now));
    await start('research.archive');
    expect(await readCode()).toBe('E_OUTCOME_UNKNOWN');
    await start('research.add');
    clock.now = '2026-01-01T00:09:59.000Z';
    expect((await app.call('research.add', entry, key)).error).toMatchObject({
      code: 'E_LOCK_TIMEOUT',
      message: 'research.add is still running with this idempotency key; nothing was changed',
    });
    clock.now = '2026-01-01T00:10:00.000Z';
    expect(await readCode()).toBe('E_OUTCOME_UNKNOWN');
  });
});
