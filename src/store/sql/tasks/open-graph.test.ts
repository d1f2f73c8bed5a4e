import { expect, test } from 'vitest';
import { openApp } from '../../../../test/app.ts';

test('returns open tasks with their type, status, priority, size and any phase text', async () => {
  const { store, call } = await openApp({
    tasks: ['T001 saga blocked', 'T002 in T001 active critical', 'T003 in T002 low small', 'T004 in T003 large high', 'T005 done', 'T006'],
  });
  await call('tasks.update', { taskId: 'T004', phase: 'core – second half, "polish"' });
  await call('tasks.update', { taskId: 'T006', size: 'medium' });
  const { tasks } = await store.read((reads) => reads.tasks.getOpenGraph());
  expect(tasks.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
    { id: 'T001', type: 'saga', status: 'blocked', priority: 'medium' },
    { id: 'T002', type: 'epic', status: 'active', priority: 'critical', parentId: 'T001' },
    { id: 'T003', type: 'task', status: 'pending', priority: 'low', size: 'small', parentId: 'T002' },
    {
      id: 'T004',
      type: 'subtask',
      status: 'pending',
      priority: 'high',
      size: 'large',
      parentId: 'T003',
      phase: 'core – second half, "polish"',
    },
    { id: 'T006', type: 'task', status: 'pending', priority: 'medium', size: 'medium' },
  ]);
});

test('returns open dependencies, parents with a started child, and claims', async () => {
  const { store } = await openApp({
    tasks: [
      'T001 epic',
      'T002 in T001 done',
      'T003 in T001 depends T002',
      'T004 depends T003,T002',
      'T005 active by ada',
      'T006 epic',
      'T007 in T006',
    ],
  });
  const { depends, startedParents: begunParents, claims } = await store.read((reads) => reads.tasks.getOpenGraph());
  expect(depends).toEqual([{ taskId: 'T004', dependsOn: 'T003' }]);
  expect(begunParents).toEqual(new Set(['T001']));
  expect(claims).toMatchObject([{ taskId: 'T005', agent: 'ada' }]);
});

test('returns empty lists if no task is open', async () => {
  const { store } = await openApp({ tasks: ['T001 done'] });
  expect(await store.read((reads) => reads.tasks.getOpenGraph())).toEqual({
    tasks: [],
    depends: [],
    startedParents: new Set(),
    claims: [],
    planned: [],
  });
});
