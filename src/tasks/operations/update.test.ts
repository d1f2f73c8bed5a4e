import { expect, test } from 'vitest';
import { asPerson, openApp } from '../../../test/app.ts';

test('returns the identity and the changed fields', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect((await call('tasks.update', { taskId: 'T001', priority: 'high', labels: ['api', 'api', 'core'] })).task).toEqual({
    id: 'T001',
    title: 'Task T001',
    status: 'pending',
    type: 'task',
    priority: 'high',
    labels: ['api', 'core'],
  });
});

test('reports no change for equal values', async () => {
  const { call } = await openApp({ tasks: ['T001 high labels a,b'] });
  const before = await call('tasks.show', { taskId: 'T001' });
  expect(await call('tasks.update', { taskId: 'T001', priority: 'high', labels: ['a', 'b'], status: 'pending' })).toMatchObject({
    success: true,
    _meta: { exitCode: 102 },
    data: {},
  });
  expect((await call('tasks.show', { taskId: 'T001' })).task).toEqual(before.task);
});

test('appends notes of any agent, even to a held task', async () => {
  const { call, as } = await openApp({ tasks: ['T001'] });
  await as('ada').call('tasks.start', { taskId: 'T001' });
  await call('tasks.update', { taskId: 'T001', notes: 'first' });
  await as('ada').call('tasks.update', { taskId: 'T001', notes: 'second' });
  expect((await call('tasks.show', { taskId: 'T001' })).task.notes).toMatchObject([
    { by: 'tester', text: 'first' },
    { by: 'ada', text: 'second' },
  ]);
});

test('rejects an outdated revision', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  await call('tasks.update', { taskId: 'T001', priority: 'low' });
  expect(await call('tasks.update', { taskId: 'T001', priority: 'high', expectRevision: 1 })).toMatchObject({
    error: { exitCode: 21, details: { expected: 1, actual: 2 } },
  });
  expect(await call('tasks.update', { taskId: 'T001', priority: 'high', expectRevision: 2 })).toMatchObject({ success: true });
});

test('applies a status like the command for it', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.update', { taskId: 'T001', status: 'active' })).toMatchObject({ task: { status: 'active' } });
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T001' } });
  expect(await call('tasks.update', { taskId: 'T001', status: 'pending' })).toMatchObject({ task: { status: 'pending' } });
  expect(await call('tasks.current')).toMatchObject({ _meta: { exitCode: 100 } });
  expect(await call('tasks.update', { taskId: 'T001', status: 'blocked' })).toMatchObject({ task: { status: 'blocked' } });
  expect(await call('tasks.update', { taskId: 'T001', status: 'done' })).toMatchObject({
    error: { exitCode: 6, code: 'E_VALIDATION_TRANSITION' },
  });
  expect(await call('tasks.update', { taskId: 'T001', status: 'pending' })).toMatchObject({ task: { status: 'pending' } });
  expect(await call('tasks.update', { taskId: 'T001', status: 'done' })).toMatchObject({ completedAt: expect.any(String) });
  for (const status of ['pending', 'active', 'blocked'])
    expect(await call('tasks.update', { taskId: 'T001', status })).toMatchObject({ error: { exitCode: 17, fix: 'cleo reopen T001' } });
});

test('blocks with a reason and unblocks', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.update', { taskId: 'T001', blockedBy: 'waiting for the API key' })).toMatchObject({
    task: { status: 'blocked', blockedBy: 'waiting for the API key' },
  });
  expect(await call('tasks.update', { taskId: 'T001', clearBlockedBy: true })).toMatchObject({ task: { status: 'pending' } });
  expect((await call('tasks.show', { taskId: 'T001' })).task).not.toHaveProperty('blockedBy');
  expect(await call('tasks.update', { taskId: 'T001', blockedBy: 'no key', status: 'pending' })).toMatchObject({
    error: { exitCode: 2, message: 'blockedBy sets the status to blocked', details: { field: 'blockedBy' } },
  });
  expect(await call('tasks.update', { taskId: 'T001', blockedBy: 'no key', clearBlockedBy: true })).toMatchObject({
    error: { exitCode: 2, message: 'blockedBy and clearBlockedBy cannot be combined' },
  });
});

test('rejects a reason that consists of task ids', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  expect(await call('tasks.update', { taskId: 'T001', blockedBy: 't2' })).toMatchObject({
    error: { code: 'E_VALIDATION_BLOCKED_BY', exitCode: 6, fix: 'cleo update T001 --add-depends T002' },
  });
});

test('replaces, adds and removes dependencies', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T003', 'T004'] });
  const depends = async (params: object) => (await call('tasks.update', { taskId: 'T001', ...params })).task?.depends;
  expect(await depends({ depends: ['T002', 'T003'] })).toEqual(['T002', 'T003']);
  expect(await depends({ addDepends: ['T004'] })).toEqual(['T002', 'T003', 'T004']);
  expect(await depends({ removeDepends: ['T002', 'T003'] })).toEqual(['T004']);
});

test.each([
  ['a dependency on itself', 'T001', { addDepends: ['T001'] }, 14],
  ['a cycle', 'T003', { addDepends: ['T004'] }, 14],
  ['a dependency on the parent', 'T002', { addDepends: ['T001'] }, 14],
  ['a dependency on a child', 'T001', { addDepends: ['T002'] }, 14],
  ['a missing dependency', 'T001', { addDepends: ['T099'] }, 4],
  ['a descendant as parent', 'T001', { parent: 'T002' }, 14],
  ['itself as parent', 'T001', { parent: 'T001' }, 14],
  ['a missing parent', 'T002', { parent: 'T099' }, 10],
  ['a parent of the wrong tier', 'T002', { parent: 'T003' }, 13],
  ['no parent for a subtask', 'T005', { parent: 'none' }, 13],
  ['a done parent', 'T002', { parent: 'T006' }, 17],
  ['a tier that its children do not fit below', 'T002', { type: 'epic', parent: 'none' }, 13],
])('rejects %s', async (_, taskId, params, exitCode) => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003', 'T004 depends T003', 'T005 in T002', 'T006 epic done'] });
  const before = await call('tasks.show', { taskId });
  expect(await call('tasks.update', { taskId, ...params })).toMatchObject({ error: { exitCode } });
  expect((await call('tasks.show', { taskId })).task).toEqual(before.task);
});

test('rejects a move that creates a cycle through a child', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002', 'T003 in T002 depends T004', 'T004 depends T001'] });
  expect(await call('tasks.update', { taskId: 'T002', parent: 'T001' })).toMatchObject({ error: { exitCode: 14 } });
});

test('moves a task with its subtree', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 epic', 'T003 in T001', 'T004 in T003'] });
  expect(await call('tasks.update', { taskId: 'T003', parent: 'T002' })).toMatchObject({ task: { parentId: 'T002' } });
  expect(await call('tasks.show', { taskId: 'T004' })).toMatchObject({ task: { epicId: 'T002' } });
  expect(await call('tasks.update', { taskId: 'T003', parent: 'none' })).toMatchObject({ success: true });
});

test('rejects the eighth open child', async () => {
  const { call } = await openApp({
    tasks: ['T001 epic', ...Array.from({ length: 7 }, (_, i) => `T00${i + 2} in T001`), 'T009', 'T010 in T001 done'],
  });
  expect(await call('tasks.update', { taskId: 'T009', parent: 'T001' })).toMatchObject({
    error: { exitCode: 12, fix: 'cleo list --parent T001' },
  });
  await call('tasks.complete', { taskId: 'T002' });
  expect(await call('tasks.update', { taskId: 'T009', parent: 'T001' })).toMatchObject({ success: true });
});

test('lets only the holder block or move a held task', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 active by ada'] });
  expect(await call('tasks.update', { taskId: 'T002', blockedBy: 'no key' })).toMatchObject({ error: { exitCode: 35 } });
  expect(await call('tasks.update', { taskId: 'T002', parent: 'T001' })).toMatchObject({ error: { exitCode: 35 } });
  expect(await call('tasks.update', { taskId: 'T002', labels: ['seen'] })).toMatchObject({ success: true });
});

test('freezes criteria at the start, unless a reason is given', async () => {
  const { call } = await openApp({ tasks: ['T001 accept parses'] });
  expect(await call('tasks.update', { taskId: 'T001', acceptance: ['parses', 'rejects'] })).toMatchObject({ success: true });
  await call('tasks.start', { taskId: 'T001' });
  const refused = await call('tasks.update', { taskId: 'T001', acceptance: ['other'] });
  expect(refused).toMatchObject({
    error: { exitCode: 6, code: 'E_VALIDATION_FROZEN', fix: "cleo update T001 --acceptance other --reason 'why the criteria change'" },
  });
  expect(await call('tasks.update', { taskId: 'T001', acceptance: ['other'], reason: 'the grammar changed' })).toMatchObject({
    task: { acceptance: [{ kind: 'text', text: 'other' }] },
  });
  expect((await call('tasks.history', { taskId: 'T001' })).history.at(-1)).toMatchObject({
    field: 'acceptance',
    reason: 'the grammar changed',
  });
});

test('never dates a change before the creation of the task', async () => {
  const clock = { now: '2036-01-01T00:00:00.000Z' };
  const { call } = await openApp({ clock });
  await call('tasks.add', { title: 'From the future' });
  clock.now = '2026-01-01T00:00:00.000Z';
  await call('tasks.update', { taskId: 'T001', priority: 'high', notes: 'now' });
  const { task } = await call('tasks.show', { taskId: 'T001' });
  expect(task.updatedAt >= task.createdAt).toBe(true);
});

test('adds and removes labels next to the others', async () => {
  const { call } = await openApp({ tasks: ['T001 labels a,b'] });
  expect((await call('tasks.update', { taskId: 'T001', addLabels: ['c', 'a'], removeLabels: ['b'] })).task.labels).toEqual(['a', 'c']);
  expect(await call('tasks.update', { taskId: 'T001', addLabels: ['c'] })).toMatchObject({ _meta: { exitCode: 102 } });
  expect((await call('tasks.tag', { id: 'T001', labels: 'x,y' })).task.labels).toEqual(['a', 'c', 'x', 'y']);
  expect((await call('tasks.untag', { id: 'T001', label: 'a' })).task.labels).toEqual(['c', 'x', 'y']);
});

test('block sets the status with and without a reason, unblock clears it, comment appends a note', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  expect((await call('tasks.block', { taskId: 'T001', reason: 'No access' })).task).toMatchObject({
    status: 'blocked',
    blockedBy: 'No access',
  });
  expect((await call('tasks.block', { taskId: 'T002' })).task).toMatchObject({ status: 'blocked' });
  expect((await call('tasks.unblock', { taskId: 'T001' })).task).toMatchObject({ status: 'pending' });
  expect((await call('tasks.comment', { taskId: 'T001', text: 'Done soon' })).task.notes).toMatchObject([{ text: 'Done soon' }]);
  expect((await call('tasks.depend', { taskId: 'T001', on: 'T002' })).task.depends).toEqual(['T002']);
});

test('removes criteria that are bound to evidence for a person only', async () => {
  const app = await openApp({ tasks: ['T001 evidence testsPassed,qaPassed'] });
  const refused = { error: { code: 'E_FORBIDDEN', exitCode: 64, fix: expect.stringMatching(/^Ask a person to run: cleo update T001 /) } };
  expect(await app.call('tasks.update', { taskId: 'T001', acceptEvidence: ['qaPassed'] })).toMatchObject(refused);
  expect(await app.call('tasks.update', { taskId: 'T001', acceptEvidence: [] })).toMatchObject(refused);
  expect(await app.call('tasks.update', { taskId: 'T001', acceptance: ['parses'] })).toMatchObject({ success: true });
  expect(await app.call('tasks.update', { taskId: 'T001', acceptEvidence: ['testsPassed', 'qaPassed', 'implemented'] })).toMatchObject({
    success: true,
  });
  expect(await app.call('tasks.update', { taskId: 'T001', acceptEvidence: ['qaPassed'] }, asPerson)).toMatchObject({ success: true });
});

test('a task with a claimed one inside it moves within the scope of its session, and not out of it', async () => {
  const app = await openApp({
    tasks: [
      ...['T001 saga', 'T002 in T001', 'T003 in T002', 'T004 in T003 active by ada@session-1', 'T005 in T001', 'T006 epic'],
      'session session-1 saga:T001 by ada',
    ],
    agent: 'bob',
  });
  expect(await app.call('tasks.update', { taskId: 'T003', parent: 'T005' })).toMatchObject({ success: true });
  expect(await app.call('tasks.update', { taskId: 'T003', parent: 'T006' })).toMatchObject({ error: { exitCode: 35 } });
});
