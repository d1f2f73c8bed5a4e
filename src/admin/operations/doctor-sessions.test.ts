import { expect, test } from 'vitest';
import { asPerson, openApp } from '../../../test/app.ts';

test('reports sessions without a scope or without activity, each with a fix', async () => {
  const app = await openApp({
    clock: { now: '2026-01-03T12:00:00.000Z' },
    config: { session: { quietHours: 48, requireNote: true } },
    tasks: [
      'T001 epic',
      'T002 in T001',
      'T003 epic',
      'session session-1 epic:T001 by ada',
      'session session-2 epic:T003 suspended by bob',
      'session session-3 task:T002 ended by eve',
    ],
  });
  await app.as('ada').call('tasks.update', { taskId: 'T002', priority: 'high' });
  expect((await app.call('admin.doctor')).findings).toEqual([
    {
      check: 'sessions',
      severity: 'warning',
      message: 'session-2 of bob is suspended without activity for 48 hours',
      fix: 'cleo session gc',
    },
  ]);
  await app.tamper("delete from tasks where id = 'T003'");
  const { findings } = await app.call('admin.doctor');
  expect(findings[0]).toMatchObject({
    check: 'sessions',
    severity: 'error',
    message: 'session-2 has the scope epic:T003, which does not exist',
  });
  expect((await app.cli(findings[0].fix, asPerson)).exitCode).toBe(0);
  expect(await app.call('session.show', { sessionId: 'session-2' })).toMatchObject({ session: { status: 'ended' } });
  expect((await app.call('admin.doctor')).findings).toEqual([]);
});

test('accepts a claim of a session id from the environment', async () => {
  const app = await openApp({ tasks: ['T001'], env: { CLEO_SESSION_ID: 'from-outside' } });
  await app.call('tasks.start', { taskId: 'T001' });
  expect(await app.call('tasks.show', { taskId: 'T001' })).toMatchObject({ claim: { session: 'from-outside' } });
  expect((await app.call('admin.doctor')).findings).toEqual([]);
});
