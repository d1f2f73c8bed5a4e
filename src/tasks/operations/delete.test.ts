import { expect, test } from 'vitest';
import { asPerson, openApp } from '../../../test/app.ts';

test('deletes a task without reusing its id, and restores all of it', async () => {
  const { call } = await openApp({ tasks: ['T001 labels a files x.ts high', 'T002 depends T001', 'T003'] });
  await call('tasks.update', { taskId: 'T001', notes: 'remember' });
  await call('tasks.relates.add', { from: 'T001', to: 'T003', type: 'fixes', reason: 'the same cause' });
  const { task: before } = await call('tasks.show', { taskId: 'T001' });
  expect(await call('tasks.delete', { taskId: 'T001', orphan: true })).toMatchObject({
    deleted: ['T001'],
    cut: ['T002'],
    data: { updated: ['T002'], deleted: ['T001'] },
  });
  expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 4 } });
  expect(await call('tasks.add', { title: 'Next' })).toMatchObject({ task: { id: 'T004' } });
  expect(await call('tasks.restore', { taskId: 'T001' })).toMatchObject({ restored: ['T001'] });
  const { task: after } = await call('tasks.show', { taskId: 'T001' });
  expect({ ...after, updatedAt: '', revision: 0 }).toEqual({ ...before, updatedAt: '', revision: 0 });
  expect((await call('tasks.show', { taskId: 'T002' })).task.depends).toEqual(['T001']);
});

test.each([
  ['children', ['T001 epic', 'T002 in T001'], 16, 'cleo delete T001 --cascade'],
  ['dependents', ['T001', 'T002 depends T001'], 19, 'cleo delete T001 --orphan'],
  ['status done', ['T001 done'], 17, 'cleo archive T001'],
  ['another holder', ['T001 active by ada'], 35, 'cleo show T001'],
])('rejects a task that has %s, and deletes nothing', async (_, tasks, exitCode, fix) => {
  const { call } = await openApp({ tasks });
  expect(await call('tasks.delete', { taskId: 'T001' })).toMatchObject({ error: { exitCode, fix } });
  expect(await call('tasks.exists', { taskId: 'T001' })).toMatchObject({ exists: true });
});

test('deletes nothing if another agent holds a descendant', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T002 active by ada'] });
  expect(await call('tasks.delete', { taskId: 'T001', cascade: true })).toMatchObject({
    error: { exitCode: 18, details: { held: 'T003' } },
  });
  expect(await call('tasks.exists', { taskId: 'T002' })).toMatchObject({ exists: true });
});

test('deletes a subtree with a claim that has lapsed', async () => {
  const { call, tamper } = await openApp({ tasks: ['T001 epic', 'T002 in T001 active by ada'] });
  await tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'");
  expect(await call('tasks.delete', { taskId: 'T001', cascade: true })).toMatchObject({ deleted: ['T001', 'T002'] });
});

test('lists dependents by number', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T1000 depends T001', 'T999 depends T001'] });
  expect(await call('tasks.delete', { taskId: 'T001' })).toMatchObject({
    error: { exitCode: 19, details: { dependents: ['T999', 'T1000'] } },
  });
  expect(await call('tasks.delete', { taskId: 'T001', orphan: true })).toMatchObject({ cut: ['T999', 'T1000'] });
});

test('needs --orphan only for dependents outside the subtree', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002'] });
  expect(await call('tasks.delete', { taskId: 'T001', cascade: true, dryRun: true })).toMatchObject({
    data: { dryRun: true, wouldDelete: 3 },
  });
  expect(await call('tasks.delete', { taskId: 'T001', cascade: true })).toMatchObject({ deleted: ['T001', 'T002', 'T003'] });
  expect(await call('tasks.restore', { taskId: 'T002' })).toMatchObject({ error: { exitCode: 10, fix: 'cleo restore T001 --cascade' } });
  expect(await call('tasks.restore', { taskId: 'T001', cascade: true })).toMatchObject({ restored: ['T001', 'T002', 'T003'] });
  expect((await call('tasks.show', { taskId: 'T003' })).task.depends).toEqual(['T002']);
});

test('a task that was active when it was deleted is restored as pending, so that anyone can start it', async () => {
  const { call, as } = await openApp({ tasks: ['T001'] });
  await call('tasks.start', { taskId: 'T001' });
  await call('tasks.delete', { taskId: 'T001' });
  expect(await call('tasks.restore', { taskId: 'T001' })).toMatchObject({ task: { status: 'pending' } });
  expect(await as('bob').call('tasks.start', { taskId: 'T001' })).toMatchObject({ task: { status: 'active' } });
});

test('restore does not change an existing task and rejects an unknown one', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.restore', { taskId: 'T001' })).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await call('tasks.restore', { taskId: 'T009' })).toMatchObject({ error: { exitCode: 4 } });
});

test('archives done tasks, all or by age; show still finds them', async () => {
  const clock = { now: '2026-06-01T00:00:00.000Z' };
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001 done', 'T003', 'T004 done'], clock });
  await call('tasks.complete', { taskId: 'T003' });
  expect(await call('tasks.archive', { olderThan: '30d', dryRun: true })).toMatchObject({ data: { wouldUpdate: 2 } });
  expect(await call('tasks.archive', { olderThan: '30d' })).toMatchObject({ archived: ['T002', 'T004'] });
  expect(await call('tasks.archive')).toMatchObject({ archived: ['T003'] });
  expect(await call('tasks.archive')).toMatchObject({ archived: [], _meta: { exitCode: 102 } });
  expect((await call('tasks.list')).tasks.map((task: { id: string }) => task.id)).toEqual(['T001']);
  expect(await call('tasks.show', { taskId: 'T004' })).toMatchObject({ task: { archivedAt: clock.now } });
  expect(await call('tasks.archive', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 6, fix: 'cleo complete T001' } });
});

test('without an id archives only in the scope of the session', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001 done', 'T003 done', 'session s-1 epic:T001 by tester'] });
  expect(await call('tasks.archive')).toMatchObject({ archived: ['T002'] });
  expect(await call('tasks.archive')).toMatchObject({ archived: [], _meta: { exitCode: 102 } });
  expect(await call('tasks.archive', { taskId: 'T003' })).toMatchObject({ archived: ['T003'] });
});

test('marks a text criterion once and rejects others', async () => {
  const { call } = await openApp({ tasks: ['T001 accept parses|rejects', 'T002 evidence qaPassed'] });
  expect(await call('tasks.criteria.check', { taskId: 'T001', n: 2 })).toMatchObject({
    acceptance: [{ text: 'parses' }, { text: 'rejects', met: true, metBy: 'tester' }],
  });
  expect(await call('tasks.criteria.check', { taskId: 'T001', n: 2 })).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await call('tasks.criteria.check', { taskId: 'T001', n: 3 })).toMatchObject({ error: { exitCode: 4 } });
  const undo = () => call('tasks.criteria.check', { taskId: 'T001', n: 2, undo: true });
  expect((await undo()).acceptance[1]).toEqual({ kind: 'text', text: 'rejects' });
  expect(await undo()).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await call('tasks.criteria.check', { taskId: 'T002', n: 1 })).toMatchObject({ error: { exitCode: 6 } });
});

test('rejects a restore that would put one active session inside another', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001', 'session session-1 task:T002 by ada'] });
  await app.call('tasks.delete', { taskId: 'T002' });
  expect(await app.as('bob').call('session.start', { scope: 'epic:T001', focus: 'T003' })).toMatchObject({ success: true });
  const { error } = await app.call('tasks.restore', { taskId: 'T002' });
  expect(error).toMatchObject({
    code: 'E_SCOPE_CONFLICT',
    exitCode: 32,
    fix: 'Ask a person to run: cleo session suspend --session session-1',
  });
  expect((await app.as('ada').call('tasks.restore', { taskId: 'T002' })).error.fix).toBe('cleo session suspend --session session-1');
  expect((await app.cli(error.fix, asPerson)).exitCode).toBe(0);
  expect(await app.call('tasks.restore', { taskId: 'T002' })).toMatchObject({ restored: ['T002'] });
});
