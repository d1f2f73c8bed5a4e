import { expect, test } from 'vitest';
import { asPerson, openApp } from '../../../test/app.ts';

const reason = 'nobody needs it';

test.each([
  ['pending', 'T001'],
  ['active', 'T001 active by tester'],
  ['blocked', 'T001 blocked'],
])('cancels a task that is %s, with the reason as a note', async (_, world) => {
  const app = await openApp({ tasks: [`${world} accept works`, 'T002 depends T001', 'T003 depends T001,T004', 'T004'] });
  expect(await app.call('tasks.cancel', { taskId: 'T001', reason })).toMatchObject({
    task: { id: 'T001', status: 'done', resolution: 'cancelled' },
    completedAt: expect.any(String),
    dependents: ['T002', 'T003'],
    unblocked: ['T002'],
  });
  const { task, claim } = await app.call('tasks.show', { taskId: 'T001' });
  expect(task).toMatchObject({ resolution: 'cancelled', notes: [{ text: `Cancelled: ${reason}` }] });
  expect([task.blockedBy, claim]).toEqual([undefined, undefined]);
  expect(await app.call('tasks.start', { taskId: 'T002' })).toMatchObject({ task: { status: 'active' } });
});

test.each(['cancelled', 'duplicate', 'wontfix'])('complete with the resolution %s is the same', async (resolution) => {
  const app = await openApp({ tasks: ['T001', 'T002 depends T001'] });
  expect(await app.call('tasks.complete', { taskId: 'T001', resolution })).toMatchObject({
    error: { code: 'E_VALIDATION_REASON', exitCode: 6 },
  });
  expect(await app.call('tasks.complete', { taskId: 'T001', resolution, reason })).toMatchObject({
    task: { status: 'done', resolution },
    dependents: ['T002'],
  });
  expect(await app.call('tasks.cancel', { taskId: 'T001', reason, resolution })).toMatchObject({ _meta: { exitCode: 102 } });
});

test('a task that is done cannot be cancelled', async () => {
  const app = await openApp({ tasks: ['T001 done'] });
  expect(await app.call('tasks.cancel', { taskId: 'T001', reason })).toMatchObject({
    error: { code: 'E_TASK_COMPLETED', exitCode: 17, fix: 'cleo reopen T001' },
  });
});

test('open children are cancelled with cascade only, and done ones stay as they are', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T002', 'T004 in T001 done', 'T005 depends T003'] });
  expect(await app.call('tasks.cancel', { taskId: 'T001', reason })).toMatchObject({
    error: { code: 'E_HAS_CHILDREN', exitCode: 16, fix: expect.stringContaining('--cascade') },
  });
  expect(await app.call('tasks.cancel', { taskId: 'T001', reason, cascade: true })).toMatchObject({
    task: { id: 'T001' },
    cancelled: ['T002', 'T003'],
    dependents: ['T005'],
    unblocked: ['T005'],
  });
  const { task } = await app.call('tasks.show', { taskId: 'T003' });
  expect(task).toMatchObject({ resolution: 'cancelled', notes: [{ text: `Cancelled: ${reason} (with T001)` }] });
  expect((await app.call('tasks.show', { taskId: 'T004' })).task.resolution).toBe('done');
});

test('a task of another agent is not cancelled, neither alone nor inside another', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 active by ada'] });
  expect(await app.call('tasks.cancel', { taskId: 'T002', reason })).toMatchObject({ error: { exitCode: 35 } });
  expect(await app.call('tasks.cancel', { taskId: 'T001', reason, cascade: true })).toMatchObject({
    error: { code: 'E_CASCADE_FAILED', message: 'T002, inside T001, is held by ada; nothing was cancelled' },
  });
  expect((await app.call('tasks.show', { taskId: 'T002' })).task.status).toBe('active');
});

test('criteria that are bound to evidence need a person', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 evidence testsPassed'] });
  for (const [operation, params] of [
    ['tasks.cancel', { taskId: 'T002', reason }],
    ['tasks.cancel', { taskId: 'T001', reason, cascade: true }],
    ['tasks.complete', { taskId: 'T002', reason, resolution: 'wontfix' }],
  ] as const)
    expect(await app.call(operation, params)).toMatchObject({ error: { code: 'E_FORBIDDEN', exitCode: 64 } });
  expect(await app.call('tasks.cancel', { taskId: 'T001', reason, cascade: true }, asPerson)).toMatchObject({ cancelled: ['T002'] });
});

test('a cancelled child meets the criterion of its parent, and reopen clears the resolution', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001 done'] });
  expect(await app.call('tasks.cancel', { taskId: 'T002', reason })).toMatchObject({ parentReady: 'T001' });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([
    { kind: 'child_task', target: 'T002', met: true },
    { kind: 'child_task', target: 'T003', met: true },
  ]);
  await app.call('tasks.reopen', { taskId: 'T002' });
  const { task } = await app.call('tasks.show', { taskId: 'T002' });
  expect([task.status, task.resolution]).toEqual(['active', undefined]);
});

test('cancelled work leaves totals, percentages, boards and releases', async () => {
  const app = await openApp({ tasks: ['T001 saga', 'T002 in T001', 'T003 in T002 done', 'T004 in T002', 'T005 in T002'] });
  await app.call('tasks.cancel', { taskId: 'T004', reason });
  expect((await app.call('admin.dash')).summary).toMatchObject({ tasks: 4, cancelled: 1, byStatus: { pending: 3, done: 1 } });
  expect((await app.call('admin.dash')).summary.doneToday).toEqual([]);
  const board = await app.call('tasks.board');
  expect(board.columns.find(({ status }: { status: string }) => status === 'done')).toMatchObject({ count: 1, cards: [{ id: 'T003' }] });
  expect((await app.call('saga.rollup', { sagaId: 'T001' })).rollup).toMatchObject({ done: 1, total: 2, percent: 50 });
  expect((await app.call('orchestrate.analyze', { epicId: 'T002' })).progress).toEqual({ done: 1, total: 2, percent: 50 });
  await app.call('release.create', { version: 'v1.0.0' });
  expect(JSON.stringify(await app.call('release.show', { version: 'v1.0.0' }))).not.toContain('T004');
  const { tasks } = await app.call('tasks.list', { parent: 'T002' });
  expect(tasks.map(({ id, resolution }: Record<string, string>) => [id, resolution])).toEqual([
    ['T003', undefined],
    ['T004', 'cancelled'],
    ['T005', undefined],
  ]);
});

test('several are cancelled at once or not at all, children before their parents', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 in T001', 'T003', 'T004 done', 'T005 depends T003'] });
  expect(await app.call('tasks.cancel', { taskIds: ['T003', 'T004'], reason })).toMatchObject({ error: { code: 'E_TASK_COMPLETED' } });
  expect((await app.call('tasks.show', { taskId: 'T003' })).task.status).toBe('pending');
  expect(await app.call('tasks.cancel', { taskIds: ['T001', 'T002', 'T003'], reason })).toMatchObject({
    _meta: { resultsField: 'tasks' },
    tasks: [{ id: 'T002', completedAt: expect.any(String) }, { id: 'T001' }, { id: 'T003' }],
    unblocked: ['T005'],
  });
  expect(await app.call('tasks.cancel', { taskIds: ['T001', 'T002'], reason })).toMatchObject({
    _meta: { exitCode: 102 },
    tasks: [],
    unchanged: ['T002', 'T001'],
  });
});

test('a task that is cancelled in the same call is not listed as a dependent', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002 depends T001', 'T003 depends T001'] });
  expect(await call('tasks.cancel', { taskIds: ['T001', 'T002'], reason })).toMatchObject({ dependents: ['T003'], unblocked: ['T003'] });
});
