import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const reason = 'both read the grammar';

test('stores a relation with its reason and lists it from both ends', async () => {
  const { call } = await openApp({ tasks: ['T001: New parser', 'T002 done: Old parser'] });
  expect(await call('tasks.relates.add', { from: 'T1', to: 'T2', type: 'supersedes', reason })).toMatchObject({
    _meta: { command: 'tasks.relates.add', resultsField: 'relation' },
    relation: { from: 'T001', to: 'T002', type: 'supersedes', reason },
    data: { updated: ['T001'] },
  });
  expect((await call('tasks.relates.list', { taskId: 'T001' })).relations).toEqual([
    { taskId: 'T002', type: 'supersedes', reason, direction: 'to', title: 'Old parser', status: 'done' },
  ]);
  expect((await call('tasks.relates.list', { taskId: 'T002' })).relations).toEqual([
    { taskId: 'T001', type: 'supersedes', reason, direction: 'from', title: 'New parser', status: 'pending' },
  ]);
});

test('adding and removing a relation changes the revision and the time of the task', async () => {
  const clock = { now: '2026-05-06T12:00:00.000Z' };
  const { call } = await openApp({ tasks: ['T001', 'T002'], clock });
  const read = async (taskId: string) => {
    const { revision, updatedAt } = (await call('tasks.show', { taskId })).task;
    return [revision, updatedAt];
  };
  await call('tasks.relates.add', { from: 'T001', to: 'T002', type: 'related', reason });
  expect(await read('T001')).toEqual([2, clock.now]);
  expect(await read('T002')).toEqual([1, '2026-01-01T00:00:00.000Z']);
  // A clock that is behind does not set the time back.
  const later = clock.now;
  clock.now = '2026-05-06T11:00:00.000Z';
  await call('tasks.relates.remove', { from: 'T001', to: 'T002' });
  expect(await read('T001')).toEqual([3, later]);
  expect(await call('tasks.update', { taskId: 'T001', title: 'Stale', expectRevision: 1 })).toMatchObject({ error: { exitCode: 21 } });
});

test('accepts many spellings of a type', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  for (const [written, type] of [
    ['Relates-To', 'related'],
    ['DUPLICATE', 'duplicates'],
    ['extend', 'extends'],
  ])
    expect(await call('tasks.relates.add', { from: 'T001', to: 'T002', type: written, reason })).toMatchObject({ relation: { type } });
});

test('rejects an unknown type and suggests the nearest', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  expect(await call('tasks.relates.add', { from: 'T001', to: 'T002', type: 'suprsedes', reason })).toMatchObject({
    error: {
      code: 'E_INVALID_INPUT',
      exitCode: 2,
      fix: `cleo relates add T001 T002 supersedes '${reason}'`,
      details: { suggestions: ['supersedes'] },
    },
  });
  const { error } = await call('tasks.relates.add', { from: 'T001', to: 'T002', type: 'hates', reason });
  expect(error.message).toContain('blocks, related, duplicates, absorbs, fixes, extends, supersedes');
});

test('reports an existing relation, and updates its reason', async () => {
  const { call, reply } = await openApp({ tasks: ['T001', 'T002'] });
  const relation = { from: 'T001', to: 'T002', type: 'related', reason };
  await call('tasks.relates.add', relation);
  expect(await reply('tasks.relates.add', relation)).toMatchObject({ exitCode: 101, envelope: { success: true, relation, data: {} } });
  expect(await reply('tasks.relates.add', { ...relation, reason: 'a better one' })).toMatchObject({ exitCode: 0 });
  expect((await call('tasks.relates.list', { taskId: 'T001' })).relations).toMatchObject([{ reason: 'a better one' }]);
});

test.each([
  { name: 'to itself', from: 'T002', to: 'T002', code: 'E_CIRCULAR_REFERENCE', exitCode: 14 },
  { name: 'to its parent', from: 'T002', to: 'T001', code: 'E_INVALID_RELATION', exitCode: 13 },
  { name: 'to its child', from: 'T001', to: 'T002', code: 'E_INVALID_RELATION', exitCode: 13 },
  { name: 'to a missing task', from: 'T001', to: 'T009', code: 'E_NOT_FOUND', exitCode: 4 },
  { name: 'from a missing task', from: 'T009', to: 'T001', code: 'E_NOT_FOUND', exitCode: 4 },
])('rejects a relation $name', async ({ from, to, code, exitCode }) => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001'] });
  expect(await call('tasks.relates.add', { from, to, type: 'related', reason })).toMatchObject({ error: { code, exitCode } });
});

test('removes all relations or one type', async () => {
  const { call, reply } = await openApp({ tasks: ['T001', 'T002'] });
  for (const type of ['related', 'blocks', 'fixes']) await call('tasks.relates.add', { from: 'T001', to: 'T002', type, reason });
  expect(await call('tasks.relates.remove', { from: 'T001', to: 'T002', type: 'fix' })).toMatchObject({
    removed: [{ from: 'T001', to: 'T002', type: 'fixes' }],
    data: { updated: ['T001'] },
  });
  expect(await reply('tasks.relates.remove', { from: 'T001', to: 'T002', type: 'fixes' })).toMatchObject({
    exitCode: 102,
    envelope: { removed: [] },
  });
  const { removed } = await call('tasks.relates.remove', { from: 'T001', to: 'T002' });
  expect(removed.map((r: { type: string }) => r.type).sort()).toEqual(['blocks', 'related']);
  expect(await reply('tasks.relates.list', { taskId: 'T001' })).toMatchObject({ exitCode: 100, envelope: { relations: [] } });
  expect(await call('tasks.relates.remove', { from: 'T001', to: 'T009' })).toMatchObject({ error: { exitCode: 4 } });
});

test('records relations in the history', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  await call('tasks.relates.add', { from: 'T001', to: 'T002', type: 'related', reason });
  await call('tasks.relates.remove', { from: 'T001', to: 'T002' });
  const { history } = await call('tasks.history', { taskId: 'T001' });
  expect(history.slice(1)).toMatchObject([
    { field: 'relations', new: { to: 'T002', type: 'related', reason } },
    { field: 'relations', old: { to: 'T002', type: 'related', reason } },
  ]);
});

const world = [
  'T001 labels api,parser files src/parse.ts phase core: Write the grammar parser',
  'T002 labels api,parser files src/parse.ts phase core: Test the grammar parser',
  'T003 labels api: Deploy',
  'T004 files src/parse.ts: Tidy up',
  'T005 depends T001: Celebrate',
  'T006: Unrelated',
  'T007 done archived labels api,parser files src/parse.ts: Write the grammar parser',
  'T008: Speed up the grammar parser',
];
const ids = (list: { taskId: string }[]): string[] => list.map(({ taskId }) => taskId);

test('scores suggestions by shared fields, with reasons', async () => {
  const { call } = await openApp({ tasks: world });
  const { suggestions } = await call('tasks.relates.suggest', { taskId: 'T001' });
  expect(suggestions).toEqual([
    {
      taskId: 'T002',
      title: 'Test the grammar parser',
      score: 91,
      reasons: [
        { term: 'labels api, parser', points: 33 },
        { term: 'files src/parse.ts', points: 34 },
        { term: 'title words grammar, parser', points: 18 },
        { term: 'phase core', points: 6 },
      ],
    },
  ]);
  expect(ids((await call('tasks.relates.suggest', { taskId: 'T001', threshold: 0 })).suggestions)).toEqual([
    'T002',
    'T004',
    'T003',
    'T008',
  ]);
});

test('does not suggest related tasks again', async () => {
  const { call, reply } = await openApp({ tasks: world });
  await call('tasks.relates.add', { from: 'T002', to: 'T001', type: 'related', reason });
  expect(await reply('tasks.relates.suggest', { taskId: 'T001' })).toMatchObject({ exitCode: 100, envelope: { suggestions: [] } });
});

test('names the methods of discoveries', async () => {
  const { call } = await openApp({ tasks: world });
  const { discovered } = await call('tasks.relates.discover', { taskId: 'T001' });
  expect(discovered.map((one: Json) => [one.taskId, ...one.by.map((by: Json) => by.method)])).toEqual([
    ['T002', 'labels', 'files', 'text'],
    ['T008', 'text'],
    ['T003', 'labels'],
    ['T004', 'files'],
    ['T005', 'depends'],
  ]);
});

test('returns a long answer in pages', async () => {
  const { call } = await openApp({ tasks: world });
  const page = await call('tasks.relates.discover', { taskId: 'T001', limit: 2 });
  expect(ids(page.discovered)).toEqual(['T002', 'T008']);
  expect(page._meta.truncated).toEqual({ shown: 2, total: 5 });
});

test.each(['list', 'suggest', 'discover'])('relates %s rejects a missing task', async (what) => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call(`tasks.relates.${what}`, { taskId: 'T009' })).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4 } });
});

test('rejects a threshold above 100', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.relates.suggest', { taskId: 'T001', threshold: 101 })).toMatchObject({
    error: { code: 'E_VALIDATION_THRESHOLD', exitCode: 6 },
  });
});

test('rejects a related task as parent, and the fix removes the relation', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002', 'T003 epic'] });
  await app.call('tasks.relates.add', { from: 'T002', to: 'T001', type: 'related', reason: 'r' });
  const { error } = await app.call('tasks.update', { taskId: 'T002', parent: 'T001' });
  expect(error).toMatchObject({ code: 'E_INVALID_RELATION', exitCode: 13, fix: 'cleo relates remove T002 T001' });
  expect((await app.call('tasks.update', { taskId: 'T002', parent: 'T003' })).success).toBe(true);
  expect((await app.cli(error.fix)).exitCode).toBe(0);
  expect(await app.call('tasks.update', { taskId: 'T002', parent: 'T001' })).toMatchObject({ task: { parentId: 'T001' } });
});

test('the database rejects a relation between parent and child', async () => {
  const { store } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003'] });
  const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'tester' };
  const relation = { type: 'related' as const, reason: 'r' };
  const relate = (from: string, to: string) => store.write(stamp, (writes) => writes.tasks.relate({ from, to, ...relation }));
  await expect(relate('T001', 'T002')).rejects.toThrow();
  await expect(relate('T002', 'T001')).rejects.toThrow();
  await relate('T003', 'T001');
  const move = store.write(stamp, async (writes) => {
    const task = (await writes.tasks.get('T003'))!;
    await writes.tasks.save(task, { ...task, parentId: 'T001' });
  });
  await expect(move).rejects.toThrow();
});

test('a relation between parent and child from an earlier version does not block other changes', async () => {
  const { call, tamper } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 epic'] });
  const dropTrigger = process.env.CLEO_TEST_ENGINE === 'postgres' ? '' : 'drop trigger relation_is_no_containment;';
  await tamper(`${dropTrigger} insert into task_relations values ('T002', 'T001', 'related', 'r', '2026-01-01T00:00:00.000Z', 'x')`);
  expect(await call('tasks.update', { taskId: 'T002', title: 'New' })).toMatchObject({ task: { title: 'New' } });
  expect(await call('tasks.update', { taskId: 'T002', parent: 'T003' })).toMatchObject({ task: { parentId: 'T003' } });
  expect(await call('tasks.update', { taskId: 'T002', parent: 'T001' })).toMatchObject({ error: { exitCode: 13 } });
});
