import { expect, test } from 'vitest';
import { openApp } from '../../../../test/app.ts';

const adas = ['T001 epic', 'T002 in T001', 'T003 in T001', 'session session-1 epic:T001 by ada: Parse'];

test('an agent may leave the session of another one that holds tasks', async () => {
  const { call, as } = await openApp({ tasks: adas, config: { session: { closeRequiresDone: true } } });
  await as('ada').call('tasks.start', { taskId: 'T002' });
  await call('session.resume', { sessionId: 'session-1' });
  const tester = { session: 'session-1' };
  await call('tasks.start', { taskId: 'T003' }, tester);
  expect(await call('session.end', {}, tester)).toMatchObject({
    error: { exitCode: 37, details: { active: [{ taskId: 'T003', agent: 'tester' }] } },
  });
  await call('tasks.stop', {}, tester);
  expect(await call('session.end', {}, tester)).toMatchObject({ success: true, left: true });
});

test('keeps a session until it was inactive for session.quietHours', async () => {
  const clock = { now: '2026-01-02T00:00:00.000Z' };
  const { call, as } = await openApp({ tasks: adas, clock, config: { session: { quietHours: 2 } } });
  await as('ada').call('tasks.start', { taskId: 'T002' });
  clock.now = '2026-01-02T01:59:00.000Z';
  expect(await call('session.gc')).toMatchObject({ _meta: { exitCode: 102 } });
  clock.now = '2026-01-02T02:01:00.000Z';
  expect(await call('session.gc')).toMatchObject({ sessions: [{ id: 'session-1' }] });
});

test('the status of a session names its agents if there are several', async () => {
  const { call, as } = await openApp({ tasks: adas });
  expect(await as('ada').call('session.status')).not.toHaveProperty('agents');
  await call('session.resume', { sessionId: 'session-1' });
  expect((await as('ada').call('session.status')).agents.toSorted()).toEqual(['ada', 'tester']);
});
