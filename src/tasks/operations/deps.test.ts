import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('shows upstream, downstream, blockers and critical path', async () => {
  const { call } = await openApp({
    tasks: ['T001 done: First', 'T002 depends T001 active', 'T003 depends T002', 'T004 depends T003', 'T005 depends T004', 'T006'],
  });
  expect(await call('tasks.deps', { taskId: 'T003' })).toMatchObject({
    _meta: { command: 'tasks.deps', resultsField: 'deps' },
    deps: {
      taskId: 'T003',
      upstream: [
        { id: 'T002', title: 'Task T002', status: 'active' },
        { id: 'T001', title: 'First', status: 'done' },
      ],
      downstream: [
        { id: 'T004', status: 'pending' },
        { id: 'T005', status: 'pending' },
      ],
      blockers: [{ id: 'T002', status: 'active', root: true }],
      criticalPath: ['T002', 'T003', 'T004', 'T005'],
    },
  });
});

test('children inherit dependencies, and containers wait for their children', async () => {
  const { call } = await openApp({
    tasks: ['T001 epic', 'T002 in T001', 'T003 in T001 done', 'T004 epic depends T001', 'T005 in T004', 'T006 depends T005'],
  });
  const { deps } = await call('tasks.deps', { taskId: 'T005' });
  expect(deps.upstream).toEqual([
    { id: 'T001', title: 'Task T001', status: 'pending', via: 'T004' },
    { id: 'T002', title: 'Task T002', status: 'pending', via: 'T001' },
  ]);
  expect(deps.blockers).toEqual([
    { id: 'T002', status: 'pending', root: true },
    { id: 'T001', status: 'pending' },
  ]);
  expect(deps.criticalPath).toEqual(['T002', 'T005', 'T006']);
  const below = await call('tasks.deps', { taskId: 'T002' });
  expect(below.deps.downstream.map((task: { id: string }) => task.id)).toEqual(['T004', 'T005', 'T006']);
});

test('returns empty lists for a task without links', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect((await call('tasks.deps', { taskId: 'T001' })).deps).toEqual({
    taskId: 'T001',
    upstream: [],
    downstream: [],
    blockers: [],
    criticalPath: ['T001'],
  });
});

test('follows a long chain and a wide fan', async () => {
  const id = (n: number): string => `T${String(n).padStart(3, '0')}`;
  const chain = Array.from({ length: 300 }, (_, i) => (i === 0 ? id(1) : `${id(i + 1)} depends ${id(i)}`));
  const fan = Array.from({ length: 900 }, (_, i) => `${id(i + 301)} depends T300`);
  const { call } = await openApp({ tasks: [...chain, ...fan] });
  const { deps } = await call('tasks.deps', { taskId: 'T300' });
  expect(deps.upstream).toHaveLength(299);
  expect(deps.downstream).toHaveLength(900);
  expect(deps.criticalPath).toHaveLength(301);
  expect(deps.blockers.filter((b: { root?: true }) => b.root)).toEqual([{ id: 'T001', status: 'pending', root: true }]);
});

test('rejects a missing task', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.deps', { taskId: 'T002' })).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4 } });
});
