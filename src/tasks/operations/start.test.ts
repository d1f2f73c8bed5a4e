import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('makes a task active and the focus of the caller', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.start', { taskId: 't1' })).toMatchObject({
    success: true,
    task: { id: 'T001', status: 'active' },
    data: { updated: ['T001'] },
  });
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T001' }, claim: { agent: 'tester' } });
});

test('reports no change for a task that the caller holds', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  await call('tasks.start', { taskId: 'T001' });
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true, _meta: { exitCode: 102 }, data: {} });
});

test('rejects a task held by another agent and names the holder', async () => {
  const { call, as } = await openApp({ tasks: ['T001'] });
  await as('ada').call('tasks.start', { taskId: 'T001' });
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({
    error: { code: 'E_TASK_CLAIMED', exitCode: 35, fix: 'cleo show T001', details: { holder: 'ada' } },
  });
});

test('lets exactly one of many concurrent callers win', async () => {
  const { as } = await openApp({ tasks: ['T001'] });
  const replies = await Promise.all(Array.from({ length: 12 }, (_, i) => as(`agent-${i}`).reply('tasks.start', { taskId: 'T001' })));
  expect(replies.map((reply) => reply.exitCode).sort()).toEqual([0, ...Array(11).fill(35)]);
});

test('releases the previous focus', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  await call('tasks.start', { taskId: 'T001' });
  expect(await call('tasks.start', { taskId: 'T002' })).toMatchObject({ released: 'T001', data: { updated: ['T001', 'T002'] } });
  expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { status: 'pending' } });
});

test('holds a second task in addition to the focus', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T003'], clock: { now: '2026-05-06T12:00:00.000Z' } });
  await call('tasks.start', { taskId: 'T001' });
  const second = await call('tasks.start', { taskId: 'T002', also: true });
  expect(second).toMatchObject({ task: { id: 'T002', status: 'active' } });
  expect(second).not.toHaveProperty('released');
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T002' }, alsoHeld: ['T001'] });
  // A task that the caller holds becomes the focus again.
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ _meta: { exitCode: 102 }, task: { id: 'T001' } });
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T001' }, alsoHeld: ['T002'] });
  // Another focus releases the former one only.
  expect(await call('tasks.start', { taskId: 'T003' })).toMatchObject({ released: 'T001' });
  expect(await call('tasks.complete')).toMatchObject({ task: { id: 'T003' } });
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T002' } });
});

test('the focus is the task that was started last, even if the clock was set back', async () => {
  const clock = { now: '2026-05-06T12:00:00.000Z' };
  const { call } = await openApp({ tasks: ['T001', 'T002'], clock });
  await call('tasks.start', { taskId: 'T001' });
  clock.now = '2026-05-06T11:00:00.000Z';
  await call('tasks.start', { taskId: 'T002', also: true });
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T002' } });
});

test('names open dependencies, including those of the container', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002 epic depends T001', 'T003 in T002'] });
  expect(await call('tasks.start', { taskId: 'T003' })).toMatchObject({
    error: { code: 'E_VALIDATION_DEPENDS', exitCode: 6, fix: 'cleo focus set T001', details: { open: ['T001'] } },
  });
});

test('rejects a done task', async () => {
  const { call } = await openApp({ tasks: ['T001 done'] });
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 17, fix: 'cleo reopen T001' } });
});

test('clears the reason of a blocked task', async () => {
  const { call } = await openApp({ tasks: ['T001 blocked'] });
  await call('tasks.start', { taskId: 'T001' });
  const { task } = await call('tasks.show', { taskId: 'T001' });
  expect(task.status).toBe('active');
  expect(task).not.toHaveProperty('blockedBy');
});

const longAgo = "update claims set renewed_at = '2020-01-01T00:00:00.000Z'";

test('takes over an expired claim and records it in the history', async () => {
  const { call, as, tamper } = await openApp({ tasks: ['T001'], config: { claims: { ttlMinutes: 10 } } });
  await as('ada').call('tasks.start', { taskId: 'T001' });
  expect(await as('bob').call('tasks.start', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 35 } });
  await tamper(longAgo);
  expect(await as('bob').call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true, takenOverFrom: 'ada' });
  expect((await call('tasks.history', { taskId: 'T001' })).history).toContainEqual(
    expect.objectContaining({ field: 'status', reason: 'the claim of ada expired' }),
  );
});

test('renews the claim with every write of the holder', async () => {
  const { call, store, tamper } = await openApp({ tasks: ['T001', 'T002'] });
  await call('tasks.start', { taskId: 'T001' });
  await tamper(longAgo);
  await call('tasks.update', { taskId: 'T002', notes: 'a sign of life' });
  const claim = await store.read((reads) => reads.claims.get('T001'));
  expect(claim?.renewedAt.startsWith('2020')).toBe(false);
});

test('ignores a wrong clock of the caller', async () => {
  const clock = { now: '2020-01-01T00:00:00.000Z' };
  const { as } = await openApp({ tasks: ['T001'], clock });
  await as('ada').call('tasks.start', { taskId: 'T001' });
  clock.now = process.env.CLEO_TEST_ENGINE === 'postgres' ? '2090-01-01T00:00:00.000Z' : '2019-01-01T00:00:00.000Z';
  expect(await as('bob').call('tasks.start', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 35 } });
});

test('releases the focus, or reports that there is none', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  await call('tasks.start', { taskId: 'T001' });
  expect(await call('tasks.stop')).toMatchObject({ task: { id: 'T001', status: 'pending' }, released: 'T001' });
  expect(await call('tasks.stop')).toMatchObject({ success: true, _meta: { exitCode: 102 }, task: {} });
  expect(await call('tasks.current')).toMatchObject({ success: true, _meta: { exitCode: 100 }, task: {} });
});

test('stops the named task, for its holder only', async () => {
  const { call, as } = await openApp({ tasks: ['T001', 'T002', 'T003', 'T004 active'] });
  await call('tasks.start', { taskId: 'T001' });
  await call('tasks.start', { taskId: 'T002', also: true });
  expect(await call('tasks.stop', { taskId: 'T001' })).toMatchObject({
    task: { id: 'T001', status: 'pending' },
    data: { updated: ['T001'] },
  });
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T002' } });
  expect(await as('ada').call('tasks.stop', { taskId: 'T002' })).toMatchObject({ error: { exitCode: 35, details: { holder: 'tester' } } });
  expect(await call('tasks.stop', { taskId: 'T003' })).toMatchObject({ _meta: { exitCode: 102 }, task: { id: 'T003' } });
  expect(await call('tasks.stop', { taskId: 'T004' })).toMatchObject({ task: { id: 'T004', status: 'pending' } });
  expect(await call('tasks.stop', { taskId: 'T009' })).toMatchObject({ error: { exitCode: 4 } });
});

test('starts a task whose file has a name that no file can have', async () => {
  const { call } = await openApp();
  await call('tasks.add', { title: 'Write it', files: ['f'.repeat(900)] });
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true });
});
