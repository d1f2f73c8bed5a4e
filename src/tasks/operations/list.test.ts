import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const ids = (seen: Json): string[] => seen.tasks.map((task: { id: string }) => task.id);

test('lists tasks that are not archived, sorted by id', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 done', 'T004 done archived', 'T1000'] });
  expect(ids(await call('tasks.list'))).toEqual(['T001', 'T002', 'T003', 'T1000']);
});

test('returns description, labels, dependencies and notes, without empty fields', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  await call('tasks.add', {
    title: 'Write it',
    description: 'All of it',
    labels: ['api'],
    depends: ['T001'],
    notes: 'first thought',
    files: ['a.ts'],
  });
  const { tasks } = await call('tasks.list');
  expect(tasks).toEqual([
    { id: 'T001', title: 'Task T001', status: 'pending', type: 'task', priority: 'medium' },
    {
      id: 'T002',
      title: 'Write it',
      status: 'pending',
      type: 'task',
      priority: 'medium',
      description: 'All of it',
      labels: ['api'],
      depends: ['T001'],
      notes: [{ at: expect.any(String), by: 'tester', text: 'first thought' }],
    },
  ]);
});

const world = [
  'T001 epic low',
  'T002 in T001 high labels api',
  'T003 in T001 active labels api,web',
  'T004 in T002',
  'T005 done critical',
  'T006 done archived labels api',
  'T007 blocked',
];

test.each([
  { given: { parent: 'T001' }, found: ['T002', 'T003'] },
  { given: { status: 'done' }, found: ['T005'] },
  { given: { status: 'active' }, found: ['T003'] },
  { given: { type: 'subtask' }, found: ['T004'] },
  { given: { label: 'api' }, found: ['T002', 'T003'] },
  { given: { label: 'api', priority: 'high' }, found: ['T002'] },
  { given: { priority: 'medium', parent: 'T001' }, found: ['T003'] },
  { given: { all: true, label: 'api' }, found: ['T002', 'T003', 'T006'] },
  { given: { archived: true }, found: ['T006'] },
  { given: { archived: true, all: true, status: 'done' }, found: ['T005', 'T006'] },
  { given: { sort: 'priority' }, found: ['T005', 'T002', 'T003', 'T004', 'T007', 'T001'] },
  { given: { sort: 'status' }, found: ['T003', 'T007', 'T001', 'T002', 'T004', 'T005'] },
])('filters by $given', async ({ given, found }) => {
  const { call } = await openApp({ tasks: world });
  expect(ids(await call('tasks.list', given))).toEqual(found);
});

test('sorts by last change', async () => {
  const { store, call } = await openApp({ tasks: ['T001', 'T002', 'T003'] });
  await store.write({ at: '2026-03-01T00:00:00.000Z', by: 'ada' }, async ({ tasks }) => {
    const task = (await tasks.get('T002'))!;
    await tasks.save(task, { ...task, title: 'Changed' });
  });
  expect(ids(await call('tasks.list', { sort: 'updated' }))).toEqual(['T002', 'T001', 'T003']);
});

test('reports truncation, and pages join', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T003', 'T004', 'T005'] });
  const first = await call('tasks.list', { limit: 2 });
  expect(ids(first)).toEqual(['T001', 'T002']);
  expect(first._meta.truncated).toEqual({ shown: 2, total: 5 });
  const last = await call('tasks.list', { limit: 2, offset: 4 });
  expect(ids(last)).toEqual(['T005']);
  expect(last._meta.truncated).toEqual({ shown: 1, total: 5 });
  const whole = await call('tasks.list', { limit: 5 });
  expect(whole._meta.truncated).toBeUndefined();
});

test('reports the total on a page after the end', async () => {
  const { reply } = await openApp({ tasks: ['T001', 'T002'] });
  expect(await reply('tasks.list', { offset: 5 })).toMatchObject({
    exitCode: 100,
    envelope: { tasks: [], _meta: { truncated: { shown: 0, total: 2 } } },
  });
});

test('counts to at most a thousand', async () => {
  const { call } = await openApp({ tasks: Array.from({ length: 1002 }, (_, i) => `T${String(i + 1).padStart(3, '0')}`) });
  expect((await call('tasks.list', { limit: 1 }))._meta.truncated).toEqual({ shown: 1, total: 1000, atLeast: true });
});

test('returns exit 100 for an empty list', async () => {
  const { reply } = await openApp({ tasks: ['T001'] });
  expect(await reply('tasks.list', { status: 'done' })).toMatchObject({ exitCode: 100, envelope: { success: true, tasks: [] } });
});

test('rejects a missing parent', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.list', { parent: 'T009' })).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4 } });
});

test('rejects an invalid limit and an unknown sort order', async () => {
  const { call } = await openApp();
  expect(await call('tasks.list', { limit: -1 })).toMatchObject({ error: { code: 'E_VALIDATION_LIMIT', exitCode: 6 } });
  expect(await call('tasks.list', { sort: 'prority' })).toMatchObject({ error: { exitCode: 2, fix: 'cleo list --sort priority' } });
});

test('lists open tasks first, page by page', async () => {
  const { call } = await openApp({ tasks: ['T001 done', 'T002', 'T003 done', 'T004 active by ada', 'T005 done'] });
  const list = async (limit: number, offset: number): Promise<string> =>
    (await call('tasks.list', { sort: 'open', limit, offset })).tasks.map(({ id }: { id: string }) => id).join(' ');
  expect(await list(0, 0)).toBe('T002 T004 T001 T003 T005');
  expect(await Promise.all([0, 1, 2, 3, 4].map((offset) => list(2, offset)))).toEqual([
    'T002 T004',
    'T004 T001',
    'T001 T003',
    'T003 T005',
    'T005',
  ]);
  expect((await call('tasks.list', { sort: 'open', status: 'done' })).tasks).toHaveLength(3);
  expect((await call('tasks.list', { sort: 'open', open: true })).tasks).toHaveLength(2);
});

test('limit 0 is no limit', async () => {
  const { call } = await openApp({ tasks: Array.from({ length: 60 }, (_, i) => `T${String(i + 1).padStart(3, '0')}`) });
  expect(await call('tasks.list')).toMatchObject({ _meta: { truncated: { shown: 50, total: 60 } } });
  const whole = await call('tasks.list', { limit: 0 });
  expect(whole.tasks).toHaveLength(60);
  expect(whole._meta.truncated).toBeUndefined();
  expect((await call('tasks.find', { status: 'pending', limit: 0 })).tasks).toHaveLength(60);
  expect((await call('tasks.list', { limit: -1 })).error).toMatchObject({ exitCode: 6 });
});
