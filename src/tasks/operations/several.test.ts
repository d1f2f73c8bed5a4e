import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const listIds = (tasks: Json[]): string[] => tasks.map(({ id }) => id);

test('show returns several tasks in the given order, or none', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 active by tester', 'T003'] });
  const { tasks, _meta } = await app.call('tasks.show', { taskIds: ['T003', 'T002', 'T003'] });
  expect([listIds(tasks), _meta.resultsField, tasks[1].claim.agent]).toEqual([['T003', 'T002'], 'tasks', 'tester']);
  expect(await app.call('tasks.show', { taskIds: ['T001', 'T009'] })).toMatchObject({ error: { exitCode: 4 } });
  expect((await app.cli(['show', 'T001', 'T003'])).envelope.tasks).toHaveLength(2);
  expect((await app.cli(['show', 'T001,T003'])).envelope.tasks).toHaveLength(2);
  expect((await app.call('tasks.show', { taskId: ['T001', 'T003'] })).tasks).toHaveLength(2);
  expect((await app.call('tasks.show', { ids: 'T001, T003' })).tasks).toHaveLength(2);
  expect(await app.call('tasks.show')).toMatchObject({ error: { code: 'E_INVALID_INPUT', exitCode: 2 } });
});

test('complete orders tasks by what they wait for, and lists what needed no change', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 depends T003', 'T003 in T001', 'T004 done', 'T005 depends T001'] });
  const reply = await app.call('tasks.complete', { taskIds: ['T001', 'T002', 'T003', 'T004'] });
  expect(reply).toMatchObject({ unchanged: ['T004'], unblocked: ['T005'], data: { updated: ['T003', 'T002', 'T001'] } });
  expect(reply.tasks).toMatchObject(['T003', 'T002', 'T001'].map((id) => ({ id, completedAt: expect.any(String) })));
  expect(await app.call('tasks.complete', { taskIds: ['T001', 'T004'] })).toMatchObject({
    _meta: { exitCode: 102 },
    tasks: [],
    unchanged: ['T001', 'T004'],
  });
});

const families = ['T001 epic', 'T002 in T001', 'T003 in T001', 'T004 epic', 'T005 in T004', 'T006 epic', 'T007 in T006', 'T008 in T006'];

test.each([
  ['tasks.complete', {}],
  ['tasks.cancel', { reason: 'Not needed' }],
  ['tasks.update', { status: 'done' }],
])('%s lists the parents that are ready, except those that it closes', async (operation, params) => {
  const app = await openApp({ tasks: families });
  const taskIds = ['T002', 'T003', 'T004', 'T005', 'T007'];
  expect(await app.call(operation, { taskIds, ...params })).toMatchObject({ success: true, parentsReady: ['T001'] });
  expect(await app.call(operation, { taskIds: ['T001', 'T006', 'T008'], ...params })).not.toHaveProperty('parentsReady');
});

test('one error leaves all tasks as they are', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 active by ada', 'T003 blocked'] });
  for (const [operation, params] of [
    ['tasks.complete', { taskIds: ['T001', 'T002'] }],
    ['tasks.complete', { taskIds: ['T001', 'T003'] }],
    ['tasks.delete', { taskIds: ['T001', 'T002'] }],
    ['tasks.update', { taskIds: ['T001', 'T009'], priority: 'high' }],
    ['tasks.archive', { taskIds: ['T001', 'T003'] }],
  ] as const)
    expect(await app.call(operation, params), operation).toMatchObject({ success: false });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task).toMatchObject({ status: 'pending', priority: 'medium', revision: 1 });
});

test('update changes all of them', async () => {
  const app = await openApp({ tasks: ['T001 labels a', 'T002 labels b', 'T003 high labels b,c'] });
  expect(await app.call('tasks.update', { taskIds: ['T001', 'T002', 'T003'], priority: 'high', addLabels: ['b'] })).toMatchObject({
    tasks: [{ id: 'T001', labels: ['a', 'b'], priority: 'high' }, { id: 'T002' }],
    unchanged: ['T003'],
  });
  expect((await app.cli(['update', 'T001', 'T002', '--remove-labels', 'b'])).envelope.tasks).toMatchObject([
    { labels: ['a'] },
    { labels: [] },
  ]);
  expect(await app.call('tasks.update', { taskIds: ['T001', 'T002'], priority: 'low', expectRevision: 1 })).toMatchObject({
    error: { code: 'E_INVALID_INPUT' },
  });
  expect(await app.call('tasks.update', { taskIds: ['T001', 'T002'], status: 'active' })).toMatchObject({
    tasks: [{ id: 'T001' }, { id: 'T002' }],
  });
  expect((await app.call('tasks.list', { status: 'active' })).tasks).toHaveLength(2);
});

test('delete needs neither cascade nor orphan for tasks that are all deleted', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 in T001', 'T003 depends T001', 'T004 depends T003'] });
  expect(await app.call('tasks.delete', { taskIds: ['T001', 'T002', 'T003'] })).toMatchObject({ error: { code: 'E_HAS_DEPENDENTS' } });
  expect(await app.call('tasks.delete', { taskIds: ['T001', 'T002', 'T003', 'T004'] })).toMatchObject({
    deleted: ['T001', 'T002', 'T003', 'T004'],
    tasks: [{ id: 'T001' }, { id: 'T002' }, { id: 'T003' }, { id: 'T004' }],
  });
  await app.call('tasks.restore', { taskId: 'T001', cascade: true });
  expect((await app.call('tasks.show', { taskId: 'T002' })).task.parentId).toBe('T001');
});

test('archive and reopen take several', async () => {
  const app = await openApp({ tasks: ['T001 epic done', 'T002 in T001 done', 'T003 done archived', 'T004 done'] });
  expect(await app.call('tasks.archive', { taskIds: ['T003', 'T004'] })).toMatchObject({
    archived: ['T004'],
    tasks: [{ id: 'T004' }],
    unchanged: ['T003'],
  });
  expect(await app.call('tasks.archive', { taskIds: ['T003', 'T004'] })).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await app.call('tasks.reopen', { taskIds: ['T002', 'T001', 'T004'] })).toMatchObject({
    tasks: [{ id: 'T001' }, { id: 'T004' }, { id: 'T002' }],
  });
  expect((await app.call('tasks.list', { status: 'active' })).tasks).toHaveLength(3);
  expect(await app.call('tasks.reopen', { taskIds: ['T001'] })).toMatchObject({ _meta: { exitCode: 102 }, unchanged: ['T001'] });
});

test('reopening several releases the focus once', async () => {
  const app = await openApp({ tasks: ['T001 done', 'T002 done', 'T003 active by tester'] });
  expect(await app.call('tasks.reopen', { taskIds: ['T001', 'T002'] })).toMatchObject({ released: 'T003' });
  expect((await app.call('tasks.current')).alsoHeld).toEqual(['T001']);
});

test('an error names the call with several ids', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001'] });
  expect((await app.cli(['cancel', 'T001', 'T001', '--reason', 'not needed'])).envelope.error).toMatchObject({
    code: 'E_HAS_CHILDREN',
    fix: "cleo cancel T001 T001 --reason 'not needed' --cascade",
  });
});

test('reopen rejects a task inside a done one, and names the command for the outer one', async () => {
  const app = await openApp({ tasks: ['T001 epic done', 'T002 in T001 done'] });
  expect((await app.call('tasks.reopen', { taskId: 'T002' })).error).toMatchObject({
    code: 'E_TASK_COMPLETED',
    fix: 'cleo reopen T001',
    details: { taskId: 'T001' },
  });
});

test('show names the holder of each of several tasks', async () => {
  const app = await openApp({ tasks: ['T001 active by ada', 'T002'] });
  const { tasks } = await app.call('tasks.show', { taskIds: ['T001', 'T002'] });
  expect(tasks).toMatchObject([{ id: 'T001', claim: { agent: 'ada' } }, { id: 'T002' }]);
  expect(tasks[1]).not.toHaveProperty('claim');
});
