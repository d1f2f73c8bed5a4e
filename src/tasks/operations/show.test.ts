import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('shows all fields that are not empty', async () => {
  const { call } = await openApp({
    tasks: ['T001 saga', 'T002 in T001', 'T003 in T002 accept parses', 'T004 in T003 done', 'T005 in T003'],
  });
  const { task } = await call('tasks.show', { taskId: 'E-T003' });
  expect(task).toEqual({
    id: 'T003',
    type: 'task',
    title: 'Task T003',
    status: 'pending',
    priority: 'medium',
    parentId: 'T002',
    epicId: 'T002',
    acceptance: [
      { kind: 'text', text: 'parses' },
      { kind: 'child_task', target: 'T004', met: true },
      { kind: 'child_task', target: 'T005' },
    ],
    uid: '01kdvdna007g00000003',
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'world',
    updatedAt: '2026-01-01T00:00:00.000Z',
    revision: 1,
  });
});

test('shows a relation from both ends', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  await call('tasks.relates.add', { from: 'T001', to: 'T002', type: 'supersedes', reason: 'a better plan' });
  expect((await call('tasks.show', { taskId: 'T001' })).task.relations).toEqual([
    { taskId: 'T002', type: 'supersedes', reason: 'a better plan', direction: 'to' },
  ]);
  expect((await call('tasks.show', { taskId: 'T002' })).task.relations).toEqual([
    { taskId: 'T001', type: 'supersedes', reason: 'a better plan', direction: 'from' },
  ]);
});

test.each([
  ['an extra digit', 'T1423', ['T142'], 'cleo find --id 142'],
  ['a distant number', 'T900', ['T142'], 'cleo find --id 142'],
])('suggests the nearest id for %s', async (_, taskId, suggestions, fix) => {
  const { call } = await openApp({ tasks: ['T142'] });
  expect(await call('tasks.show', { taskId })).toMatchObject({
    error: { code: 'E_NOT_FOUND', exitCode: 4, fix, details: { suggestions } },
  });
});

test.each([
  ['the first three ids with the same prefix', 'T149', ['T140', 'T141', 'T142']],
  ['the ids before and after it if no prefix matches', 'T500', ['T144', 'T900']],
])('suggests %s', async (_, taskId, suggestions) => {
  const { call } = await openApp({ tasks: ['T140', 'T141', 'T142', 'T143', 'T144', 'T900'] });
  expect((await call('tasks.show', { taskId })).error.details.suggestions).toEqual(suggestions);
});

test('suggests nothing in an empty project', async () => {
  const { call } = await openApp();
  expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 4, fix: 'cleo help add' } });
});

test('shows holder, session and expiry of a claim', async () => {
  const clock = { now: '2026-05-06T12:00:00.000Z' };
  const app = await openApp({
    clock,
    config: { claims: { ttlMinutes: 30 } },
    tasks: ['T001 epic', 'T002 in T001', 'T003', 'session session-1 epic:T001 by ada: Parser'],
  });
  await app.as('ada').call('tasks.start', { taskId: 'T002' });
  const { claim } = await app.call('tasks.show', { taskId: 'T002' });
  expect(claim).toMatchObject({ agent: 'ada', session: 'session-1', since: clock.now });
  // PostgreSQL uses its own clock for leases.
  if (process.env.CLEO_TEST_ENGINE === 'sqlite') expect(claim.until).toBe('2026-05-06T12:30:00.000Z');
  expect(await app.call('tasks.show', { taskId: 'T003' })).not.toHaveProperty('claim');
  await app.as('ada').call('tasks.complete', { taskId: 'T002' });
  expect(await app.call('tasks.show', { taskId: 'T002' })).not.toHaveProperty('claim');
});
