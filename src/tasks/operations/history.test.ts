import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('starts with the creation', async () => {
  const { call } = await openApp({ clock: { now: '2026-02-03T04:05:06.789Z' } });
  await call('tasks.add', { title: 'Write the parser' });
  expect(await call('tasks.history', { taskId: 'T001' })).toMatchObject({
    _meta: { resultsField: 'history' },
    history: [{ at: '2026-02-03T04:05:06.789Z', by: 'tester', field: 'created', new: 'Write the parser' }],
  });
});

test('lists each change with author, field and values, oldest first', async () => {
  const { store, call } = await openApp({ tasks: ['T001: Old'] });
  await store.write({ at: '2026-02-01T00:00:00.000Z', by: 'ada' }, async ({ tasks }) => {
    const task = (await tasks.get('T001'))!;
    await tasks.save(task, { ...task, title: 'New', labels: ['api'] }, 'a better name');
  });
  const { history } = await call('tasks.history', { taskId: 'T001' });
  expect(history.slice(1)).toEqual([
    { at: '2026-02-01T00:00:00.000Z', by: 'ada', field: 'title', old: 'Old', new: 'New', reason: 'a better name' },
    { at: '2026-02-01T00:00:00.000Z', by: 'ada', field: 'labels', old: [], new: ['api'], reason: 'a better name' },
  ]);
});

test('keeps the history of deleted tasks and names the root of a cascade', async () => {
  const { call } = await openApp({ tasks: ['T001 epic: Gone', 'T002 in T001: Gone too'], clock: { now: '2026-02-01T00:00:00.000Z' } });
  await call('tasks.delete', { taskId: 'T001', cascade: true });
  const last = async (taskId: string) => (await call('tasks.history', { taskId })).history.at(-1);
  const gone = { at: '2026-02-01T00:00:00.000Z', by: 'tester', field: 'deleted' };
  expect(await last('T001')).toEqual({ ...gone, old: 'Gone' });
  expect(await last('T002')).toEqual({ ...gone, old: 'Gone too', reason: 'deleted with T001' });
});

test('returns a long history in pages', async () => {
  const { store, call } = await openApp({ tasks: ['T001'] });
  await store.write({ at: '2026-02-01T00:00:00.000Z', by: 'ada' }, async ({ tasks }) => {
    const task = (await tasks.get('T001'))!;
    for (let i = 1; i <= 5; i++) await tasks.appendNotes(task, [{ at: task.createdAt, by: 'ada', text: `note ${i}` }]);
  });
  const page = await call('tasks.history', { taskId: 'T001', limit: 2, offset: 2 });
  expect(page.history.map((change: { new: string }) => change.new)).toEqual(['note 2', 'note 3']);
  expect(page._meta.truncated).toEqual({ shown: 2, total: 6 });
});

test('rejects an id that never existed', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.history', { taskId: 'T002' })).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4 } });
});
