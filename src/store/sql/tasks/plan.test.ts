import { expect, test } from 'vitest';
import { toTaskNumber } from '#core/model/scalars.ts';
import { openApp } from '../../../../test/app.ts';
import type { ReadStore } from '../../port/store.ts';

const world = [
  'T001 saga',
  'T002 in T001 depends T020: Parser',
  'T003 in T002 high small files a.ts,b.ts: Grammar, "quoted"',
  'T004 in T003 blocked',
  'T005 in T002 done files a.ts',
  'T006 in T002 done archived',
  'T007 in T002 active depends T003,T005,T006,T021 files a.ts',
  'T008 in T001',
  'T009 in T008 depends T007',
  'T020',
  'T021 done archived',
];

const readWorld = async <T>(read: (store: ReadStore) => Promise<T>): Promise<T> => {
  const { store } = await openApp({ tasks: world });
  return store.read(read);
};
const compareBySeq =
  <T>(getId: (one: T) => string) =>
  (a: T, b: T) =>
    toTaskNumber(getId(a)) - toTaskNumber(getId(b));

test('lists open tasks of a subtree and open ancestors of its root', async () => {
  const found = await readWorld((store) => store.tasks.listOpenInSubtree('T002'));
  expect(found.sort(compareBySeq(({ id }) => id))).toEqual([
    { id: 'T001', type: 'saga', status: 'pending', priority: 'medium', title: 'Task T001', isAbove: true },
    { id: 'T002', type: 'epic', status: 'pending', priority: 'medium', parentId: 'T001', title: 'Parser', isAbove: false },
    {
      ...{ id: 'T003', type: 'task', status: 'pending', priority: 'high', size: 'small', parentId: 'T002' },
      ...{ title: 'Grammar, "quoted"', isAbove: false },
    },
    {
      ...{ id: 'T004', type: 'subtask', status: 'blocked', priority: 'medium', parentId: 'T003', title: 'Task T004' },
      ...{ blockedBy: 'waiting', isAbove: false },
    },
    { id: 'T007', type: 'task', status: 'active', priority: 'medium', parentId: 'T002', title: 'Task T007', isAbove: false },
  ]);
});

test('lists all open tasks without a root', async () => {
  const found = await readWorld((store) => store.tasks.listOpenInSubtree(undefined));
  expect(found.map(({ id, isAbove }) => `${id} ${isAbove}`).sort()).toEqual(
    ['T001', 'T002', 'T003', 'T004', 'T007', 'T008', 'T009', 'T020'].map((id) => `${id} false`),
  );
});

test('lists dependencies that are neither done nor archived', async () => {
  const edges = async (root?: string) =>
    (await readWorld((store) => store.tasks.listOpenDependenciesInSubtree(root)))
      .map(({ taskId, dependsOn }) => `${taskId} ${dependsOn}`)
      .sort();
  expect(await edges('T001')).toEqual(['T002 T020', 'T007 T003', 'T009 T007']);
  // A task inherits the dependencies of its epic.
  expect(await edges('T007')).toEqual(['T002 T020', 'T007 T003']);
  expect(await edges('T005')).toEqual(['T002 T020']);
  expect(await edges()).toEqual(['T002 T020', 'T007 T003', 'T009 T007']);
  expect(await edges('T020')).toEqual([]);
});

test('ignores a dependency that was archived without being done', async () => {
  const { store, tamper } = await openApp({ tasks: ['T001', 'T002 depends T001'] });
  await tamper("update tasks set archived_at = '2026-01-01T00:00:00.000Z' where id = 'T001'");
  expect(await store.read((reads) => reads.tasks.listOpenDependenciesInSubtree('T002'))).toEqual([]);
});

test('lists the files of open tasks', async () => {
  const found = await readWorld((store) => store.tasks.listFilesInSubtree('T001'));
  expect(found.map(({ path, taskId }) => `${path} ${taskId}`).sort()).toEqual(['a.ts T003', 'a.ts T007', 'b.ts T003']);
});

test('lists done tasks of a subtree in order, archived ones included', async () => {
  const done = async (limit: number) => (await readWorld((store) => store.tasks.listDoneInSubtree('T001', limit))).map(({ id }) => id);
  expect(await done(10)).toEqual(['T005', 'T006']);
  expect(await done(1)).toEqual(['T005']);
  expect(await readWorld((store) => store.tasks.listDoneInSubtree('T021', 10))).toMatchObject([{ id: 'T021', title: 'Task T021' }]);
});

test('counts the tasks of each subtree by type and status, its root included', async () => {
  const counts = async (roots: string[]) =>
    (await readWorld((store) => store.tasks.countInSubtrees(roots)))
      .map(({ root, type, status, n }) => `${root} ${type} ${status} ${n}`)
      .sort();
  expect(await counts(['T002', 'T008'])).toEqual([
    'T002 epic pending 1',
    'T002 subtask blocked 1',
    'T002 task active 1',
    'T002 task done 2',
    'T002 task pending 1',
    'T008 epic pending 1',
    'T008 task pending 1',
  ]);
  expect(await counts(['T099'])).toEqual([]);
  expect(await counts([])).toEqual([]);
});

test('terminates if parents form a cycle', async () => {
  const { store, tamper } = await openApp({ tasks: ['T001', 'T002 in T001'] });
  await tamper("update tasks set parent_id = 'T002' where id = 'T001'");
  const found = await store.read((reads) => reads.tasks.listOpenInSubtree('T002'));
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(['T001', 'T002']));
});
