import { expect, test } from 'vitest';
import { seqOf } from '#core/model/scalars.ts';
import { openApp } from '../../../test/app.ts';
import type { ReadStore } from '../port.ts';

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

const asked = async <T>(ask: (store: ReadStore) => Promise<T>): Promise<T> => {
  const { store } = await openApp({ tasks: world });
  return store.read(ask);
};
const bySeq =
  <T>(idOf: (one: T) => string) =>
  (a: T, b: T) =>
    seqOf(idOf(a)) - seqOf(idOf(b));

test('what is open inside a root, and what the root is inside of', async () => {
  const found = await asked((store) => store.tasks.openInside('T002'));
  expect(found.sort(bySeq(({ id }) => id))).toEqual([
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

test('without a root, everything that is open', async () => {
  const found = await asked((store) => store.tasks.openInside(undefined));
  expect(found.map(({ id, isAbove }) => `${id} ${isAbove}`).sort()).toEqual(
    ['T001', 'T002', 'T003', 'T004', 'T007', 'T008', 'T009', 'T020'].map((id) => `${id} false`),
  );
});

test('what these wait for, unless it is done or archived', async () => {
  const edges = async (root?: string) =>
    (await asked((store) => store.tasks.waitsInside(root))).map(({ taskId, dependsOn }) => `${taskId} ${dependsOn}`).sort();
  expect(await edges('T001')).toEqual(['T002 T020', 'T007 T003', 'T009 T007']);
  // A task inside an epic waits for what the epic waits for.
  expect(await edges('T007')).toEqual(['T002 T020', 'T007 T003']);
  expect(await edges('T005')).toEqual(['T002 T020']);
  expect(await edges()).toEqual(['T002 T020', 'T007 T003', 'T009 T007']);
  expect(await edges('T020')).toEqual([]);
});

test('what is archived but was never done holds nobody up', async () => {
  const { store, tamper } = await openApp({ tasks: ['T001', 'T002 depends T001'] });
  await tamper("update tasks set archived_at = '2026-01-01T00:00:00.000Z' where id = 'T001'");
  expect(await store.read((reads) => reads.tasks.waitsInside('T002'))).toEqual([]);
});

test('the files of what is open', async () => {
  const found = await asked((store) => store.tasks.filesInside('T001'));
  expect(found.map(({ path, taskId }) => `${path} ${taskId}`).sort()).toEqual(['a.ts T003', 'a.ts T007', 'b.ts T003']);
});

test('what is done inside, archived too, in order', async () => {
  const done = async (limit: number) => (await asked((store) => store.tasks.doneInside('T001', limit))).map(({ id }) => id);
  expect(await done(10)).toEqual(['T005', 'T006']);
  expect(await done(1)).toEqual(['T005']);
  expect(await asked((store) => store.tasks.doneInside('T021', 10))).toMatchObject([{ id: 'T021', title: 'Task T021' }]);
});

test('how many there are inside each, itself too, by type and status', async () => {
  const counts = async (roots: string[]) =>
    (await asked((store) => store.tasks.countsInside(roots))).map(({ root, type, status, n }) => `${root} ${type} ${status} ${n}`).sort();
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

test('parents that go round in circles end the question, not the process', async () => {
  const { store, tamper } = await openApp({ tasks: ['T001', 'T002 in T001'] });
  await tamper("update tasks set parent_id = 'T002' where id = 'T001'");
  const found = await store.read((reads) => reads.tasks.openInside('T002'));
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(['T001', 'T002']));
});
