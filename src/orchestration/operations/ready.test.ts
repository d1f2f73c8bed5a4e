import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const ids = (seen: Json): string[] => seen.tasks.map((task: { id: string }) => task.id);

test('lists the tasks that can be started now, most urgent first', async () => {
  const { call } = await openApp({
    tasks: [
      'T001 epic',
      'T002 in T001',
      'T003 in T001 depends T002',
      'T004 in T001 blocked',
      'T005 critical',
      'T006 done',
      'T007 in T002: Part',
    ],
  });
  const found = await call('orchestrate.ready');
  expect(found._meta).toMatchObject({ command: 'orchestrate.ready', resultsField: 'tasks' });
  expect(found.tasks).toEqual([
    { id: 'T005', title: 'Task T005', status: 'pending', type: 'task', priority: 'critical' },
    { id: 'T007', title: 'Part', status: 'pending', type: 'subtask', priority: 'medium', parentId: 'T002' },
  ]);
});

test('lists a claimed task only for its holder', async () => {
  const { call, as } = await openApp({ tasks: ['T001 active by tester', 'T002'] });
  expect(ids(await call('orchestrate.ready'))).toEqual(['T001', 'T002']);
  expect(ids(await as('other').call('orchestrate.ready'))).toEqual(['T002']);
});

test('ignores an expired claim', async () => {
  const { call, tamper } = await openApp({ tasks: ['T001 active by other'] });
  expect(await call('orchestrate.ready')).toMatchObject({ _meta: { exitCode: 100 } });
  await tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'");
  expect((await call('orchestrate.ready')).tasks).toEqual([expect.objectContaining({ id: 'T001', takenOverFrom: 'other' })]);
});

test('lists only tasks inside the root', async () => {
  const { call } = await openApp({ tasks: ['T001 saga', 'T002 in T001', 'T003 in T002', 'T004'] });
  expect(ids(await call('orchestrate.ready', { epic: 'T001' }))).toEqual(['T003']);
  expect(ids(await call('orchestrate.ready', { epicId: 'T002' }))).toEqual(['T003']);
  expect(await call('orchestrate.ready', { epicId: 'T009' })).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4 } });
});

test('pages a long list and reports the total', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002', 'T003'] });
  const page = await call('orchestrate.ready', { limit: 2, offset: 1 });
  expect(ids(page)).toEqual(['T002', 'T003']);
  expect(page._meta.truncated).toEqual({ shown: 2, total: 3 });
});

test('exits with 100 when nothing is ready', async () => {
  const { reply } = await openApp({ tasks: ['T001 epic'] });
  expect(await reply('orchestrate.ready')).toMatchObject({ exitCode: 100, envelope: { tasks: [] } });
});

test('marks tasks that share a file, and defers all but the first', async () => {
  const { call } = await openApp({
    tasks: [
      'T001 epic',
      'T002 in T001 files ./src/a.ts',
      'T003 in T001 high files src/a.ts',
      'T004 in T001 files docs/',
      'T005 in T001',
      'T006 epic',
      'T007 in T006 files docs/guide.md active by ada',
    ],
  });
  const found = await call('orchestrate.ready', { epic: 'T001' });
  expect(found.tasks.map(({ id, conflictsWith, deferred }: Json) => ({ id, conflictsWith, deferred }))).toEqual([
    { id: 'T003', conflictsWith: ['T002'] },
    { id: 'T002', conflictsWith: ['T003'], deferred: true },
    { id: 'T004', conflictsWith: ['T007'], deferred: true },
    { id: 'T005' },
  ]);
  expect(found.conflicts).toEqual([
    { file: 'docs/guide.md', tasks: ['T007', 'T004'] },
    { file: 'src/a.ts', tasks: ['T003', 'T002'] },
  ]);
  expect((await call('orchestrate.ready', { epic: 'T001', limit: 1 })).conflicts).toEqual([{ file: 'src/a.ts', tasks: ['T003', 'T002'] }]);
});

test('defers tasks that share a file with the task that the caller holds', async () => {
  const { call } = await openApp({ tasks: ['T001 high files a.ts', 'T002 files a.ts active by tester'] });
  expect((await call('orchestrate.ready')).tasks).toMatchObject([
    { id: 'T001', deferred: true },
    { id: 'T002', conflictsWith: ['T001'] },
  ]);
});
