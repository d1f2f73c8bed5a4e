import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('shows the whole project sorted by id, without archived tasks', async () => {
  const { call } = await openApp({
    tasks: ['T001 saga', 'T002 in T001', 'T003 in T002: Write it', 'T004 in T003 active', 'T005 in T002 done archived', 'T006'],
  });
  expect(await call('tasks.tree')).toMatchObject({
    _meta: { resultsField: 'tree' },
    tree: [
      {
        id: 'T001',
        type: 'saga',
        children: [
          {
            id: 'T002',
            type: 'epic',
            children: [
              {
                id: 'T003',
                title: 'Write it',
                status: 'pending',
                type: 'task',
                children: [{ id: 'T004', title: 'Task T004', status: 'active', type: 'subtask' }],
              },
            ],
          },
        ],
      },
      { id: 'T006', title: 'Task T006', status: 'pending', type: 'task' },
    ],
  });
});

test('shows one task with its descendants', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001', 'T004 epic'] });
  const { tree } = await call('tasks.tree', { taskId: 'T001' });
  expect(tree).toHaveLength(1);
  expect(tree[0].children.map((node: { id: string }) => node.id)).toEqual(['T002', 'T003']);
});

test('shows a task without children', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect((await call('tasks.tree', { taskId: 'T001' })).tree).toEqual([
    { id: 'T001', title: 'Task T001', status: 'pending', type: 'task' },
  ]);
});

test('returns exit 100 for an empty project', async () => {
  const { reply } = await openApp();
  expect(await reply('tasks.tree')).toMatchObject({ exitCode: 100, envelope: { tree: [] } });
});

test('rejects a missing root', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.tree', { taskId: 'T019' })).toMatchObject({
    error: { code: 'E_NOT_FOUND', exitCode: 4, fix: 'cleo find --id 1' },
  });
});

test('cuts a long tree and says so; 0 prints all of it', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001'] });
  expect(await call('tasks.tree', { limit: 2 })).toMatchObject({
    _meta: { truncated: { shown: 2, total: 3 } },
    tree: [{ id: 'T001', children: [{ id: 'T002' }] }],
  });
  const whole = await call('tasks.tree', { limit: 0 });
  expect(whole.tree).toMatchObject([{ children: [{ id: 'T002' }, { id: 'T003' }] }]);
  expect(whole._meta.truncated).toBeUndefined();
});

test('details add priorities, and the progress of sagas and epics', async () => {
  const { call } = await openApp({ tasks: ['T001 epic high', 'T002 in T001 done', 'T003 in T001', 'T004 in T003'] });
  expect(await call('tasks.tree', { details: true })).toMatchObject({
    tree: [{ id: 'T001', priority: 'high', progress: { done: 1, total: 3, percent: 33 }, children: [{ id: 'T002' }, { id: 'T003' }] }],
  });
  expect((await call('tasks.tree')).tree[0]).not.toHaveProperty('priority');
});
