import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('returns the time and the tasks that can start now', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002 depends T001', 'T003 depends T001,T004', 'T004'] });
  const { completedAt, task, unblocked, data } = await call('tasks.complete', { taskId: 'T001' });
  expect(completedAt).toMatch(/^\d{4}-.*Z$/);
  expect({ task, unblocked, data }).toMatchObject({
    task: { id: 'T001', status: 'done' },
    unblocked: ['T002'],
    data: { updated: ['T001'] },
  });
});

test('does not list done dependents as unblocked', async () => {
  const { call } = await openApp({ tasks: ['T001 done', 'T002 depends T001 done', 'T003 depends T001'] });
  await call('tasks.reopen', { taskId: 'T001' });
  expect((await call('tasks.complete', { taskId: 'T001' })).unblocked).toEqual(['T003']);
});

test('completes the focus if no id is given, and requires one', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.complete')).toMatchObject({ error: { code: 'E_FOCUS_REQUIRED', exitCode: 38 } });
  await call('tasks.start', { taskId: 'T001' });
  expect(await call('tasks.complete')).toMatchObject({ task: { id: 'T001', status: 'done' } });
  expect(await call('tasks.current')).toMatchObject({ _meta: { exitCode: 100 } });
});

test('reports no change for a done task', async () => {
  const { call } = await openApp({ tasks: ['T001 done'] });
  expect(await call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    success: true,
    _meta: { exitCode: 102 },
    completedAt: expect.any(String),
  });
});

test.each([
  ['open children', ['T001 epic', 'T002 in T001'], 16, 'cleo list --parent T001'],
  ['open depends', ['T001 depends T002', 'T002'], 6, 'cleo focus set T002'],
  ['status blocked', ['T001 blocked'], 6, 'cleo focus set T001'],
  ['another holder', ['T001 active by ada'], 35, 'cleo show T001'],
  ['a gate without evidence', ['T001 evidence testsPassed'], 45, 'cleo verify T001'],
  ['children and an unmet criterion', ['T001 epic accept shipped', 'T002 in T001 done'], 6, 'cleo criteria check T001 1'],
])('rejects a task that has %s, and changes nothing', async (_, tasks, exitCode, fix) => {
  const { call } = await openApp({ tasks });
  const before = await call('tasks.show', { taskId: 'T001' });
  expect(await call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: false, error: { exitCode, fix } });
  expect((await call('tasks.show', { taskId: 'T001' })).task).toEqual(before.task);
});

test('completes a leaf with unmet text criteria, with a warning', async () => {
  const { call } = await openApp({ tasks: ['T001 accept parses|rejects'] });
  await call('tasks.criteria.check', { taskId: 'T001', n: 1 });
  expect(await call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    success: true,
    _meta: { warnings: ['completed with unchecked criteria: 2. rejects'] },
  });
});

test('reports a ready parent, and completes it only if configured', async () => {
  const world = ['T001 epic', 'T002 in T001', 'T003 in T002'];
  const plain = await openApp({ tasks: world });
  expect(await plain.call('tasks.complete', { taskId: 'T003' })).toMatchObject({ parentReady: 'T002' });
  expect(await plain.call('tasks.show', { taskId: 'T002' })).toMatchObject({ task: { status: 'pending' } });
  const eager = await openApp({ tasks: world, config: { hierarchy: { autoCompleteParents: true } } });
  expect(await eager.call('tasks.complete', { taskId: 'T003' })).toMatchObject({ data: { updated: ['T003', 'T002', 'T001'] } });
});

test('reopens a task as active and as the focus', async () => {
  const { call } = await openApp({ tasks: ['T001 done archived'] });
  expect(await call('tasks.reopen', { taskId: 'T001' })).toMatchObject({ task: { status: 'active' } });
  const { task } = await call('tasks.show', { taskId: 'T001' });
  expect(task).not.toHaveProperty('completedAt');
  expect(task).not.toHaveProperty('archivedAt');
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T001' } });
  expect(await call('tasks.reopen', { taskId: 'T001' })).toMatchObject({ _meta: { exitCode: 102 } });
});

test('rejects reopening a task before its dependency is done again', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002 depends T001 done'] });
  expect(await call('tasks.reopen', { taskId: 'T002' })).toMatchObject({
    error: { code: 'E_VALIDATION_DEPENDS', details: { taskId: 'T002' }, message: expect.stringContaining('T001') },
  });
  expect((await call('tasks.show', { taskId: 'T002' })).task.status).toBe('done');
});

test('rejects reopening a task inside a done one', async () => {
  const { call } = await openApp({ tasks: ['T001 epic done', 'T002 in T001 done'] });
  expect(await call('tasks.reopen', { taskId: 'T002' })).toMatchObject({ error: { exitCode: 17, fix: 'cleo reopen T001' } });
});

test('adds a note to what it completes, and to a task that is done', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T003 done'] });
  expect(await call('tasks.complete', { taskId: 'T001', notes: 'It is fast now' })).toMatchObject({
    task: { id: 'T001', status: 'done', notes: [{ text: 'It is fast now' }] },
  });
  const several = await call('tasks.complete', { taskIds: ['T002', 'T003'], notes: 'Both' });
  expect(several.tasks.map(({ id }: { id: string }) => id)).toEqual(['T002', 'T003']);
  expect(await call('tasks.complete', { taskId: 'T001', notes: 'Twice' })).toMatchObject({
    success: true,
    task: { notes: [{ text: 'Twice' }] },
  });
  expect((await call('tasks.complete', { taskId: 'T001' }))._meta.exitCode).toBe(102);
  for (const [taskId, texts] of [
    ['T001', ['It is fast now', 'Twice']],
    ['T002', ['Both']],
    ['T003', ['Both']],
  ])
    expect((await call('tasks.show', { taskId })).task.notes.map(({ text }: { text: string }) => text)).toEqual(texts);
});

test('a note of a task that is not done belongs in its reason', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  const params = { taskId: 'T001', resolution: 'wontfix', reason: 'Too slow', notes: 'Too slow' };
  expect(await call('tasks.complete', params)).toMatchObject({
    error: { exitCode: 6, fix: "cleo complete T001 --resolution wontfix --reason 'Too slow'" },
  });
});
