import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('creates a pending task of medium priority with the next id', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.add', { title: '  Write the parser ' })).toMatchObject({
    success: true,
    task: { id: 'T002', title: 'Write the parser', status: 'pending', type: 'task', priority: 'medium' },
    data: { created: ['T002'] },
  });
});

test('derives the tier from the parent', async () => {
  const { call } = await openApp({ tasks: ['T001 saga'] });
  for (const [parent, type] of [
    ['T001', 'epic'],
    ['T002', 'task'],
    ['T003', 'subtask'],
  ])
    expect(await call('tasks.add', { title: `Under ${parent}`, parent })).toMatchObject({ task: { type, parentId: parent } });
});

test('rejects a fourth level and suggests the parent', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T002'] });
  expect(await call('tasks.add', { title: 'Too deep', parent: 'T003' })).toMatchObject({
    error: { code: 'E_DEPTH_EXCEEDED', exitCode: 11, fix: 'cleo show T003' },
  });
});

test('rejects a dependency that creates a cycle, and shows it', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 depends T001'] });
  expect(await call('tasks.add', { title: 'Inside and after', parent: 'T001', depends: ['T002'] })).toMatchObject({
    error: { code: 'E_CIRCULAR_REFERENCE', exitCode: 14, details: { path: ['T003', 'T002', 'T001', 'T003'] } },
  });
});

test('reports what a dry run would write and writes nothing', async () => {
  const { call } = await openApp();
  expect(await call('tasks.add', { title: 'Maybe', dryRun: true })).toMatchObject({
    data: { dryRun: true, count: 1, wouldCreate: 1, insertedCount: 0 },
  });
  expect(await call('tasks.add', { title: 'Surely' })).toMatchObject({ task: { id: 'T001' } });
});

test('replays the answer for the same idempotency key', async () => {
  const { call } = await openApp();
  const first = await call('tasks.add', { title: 'Once' }, { idempotencyKey: 'k1' });
  expect(await call('tasks.add', { title: 'Once' }, { idempotencyKey: 'k1' })).toEqual({
    ...first,
    _meta: { ...first._meta, replayed: true },
  });
  expect(await call('tasks.add', { title: 'Other' }, { idempotencyKey: 'k1' })).toMatchObject({
    error: { code: 'E_VALIDATION_IDEMPOTENCY_KEY', exitCode: 6 },
  });
});

test('rejects a dependency that does not exist, and creates nothing', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect((await call('tasks.add', { title: 'New', depends: ['T001', 'T099'] })).error).toMatchObject({
    code: 'E_NOT_FOUND',
    exitCode: 4,
    message: expect.stringContaining('T099'),
  });
  expect((await call('tasks.list')).tasks).toHaveLength(1);
});
