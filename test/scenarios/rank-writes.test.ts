import { expect, test } from 'vitest';
import { findStaleRanks } from '../../src/tasks/rules/all-ranks.ts';
import { openApp } from '../app.ts';

/** One write of each kind that changes ranks of other tasks than the one it names, or one column only. Random histories meet some of
 *  them once in thousands of writes. */
test.each<{ why: string; tasks: string[]; calls: [string, Record<string, unknown>][]; changed: string[] }>([
  {
    why: 'a due date alone',
    tasks: ['T001'],
    calls: [['tasks.update', { taskId: 'T001', due: '2026-02-01' }]],
    changed: ['T001'],
  },
  {
    why: 'a cancelled task does not count for the open task that it depends on',
    tasks: ['T001', 'T002 depends T001'],
    calls: [['tasks.cancel', { taskId: 'T002', reason: 'Not needed' }]],
    changed: ['T001'],
  },
  {
    why: 'a task counts again after an undo',
    tasks: ['T001', 'T002 depends T001'],
    calls: [
      ['tasks.cancel', { taskId: 'T002', reason: 'Not needed' }],
      ['admin.undo', {}],
    ],
    changed: [],
  },
  {
    why: 'a deleted task does not count',
    tasks: ['T001', 'T002 depends T001'],
    calls: [['tasks.delete', { taskId: 'T002' }]],
    changed: ['T001'],
  },
  {
    why: 'a removed dependency',
    tasks: ['T001', 'T002 depends T001'],
    calls: [['tasks.update', { taskId: 'T002', removeDepends: ['T001'] }]],
    changed: ['T001', 'T002'],
  },
  {
    why: 'the dependents of a done task',
    tasks: ['T001 epic', 'T002 in T001', 'T003 epic', 'T004 in T003 depends T002'],
    calls: [['tasks.complete', { taskId: 'T002' }]],
    changed: ['T001', 'T002', 'T003', 'T004'],
  },
  {
    why: 'a started child makes its container better',
    tasks: ['T001 epic', 'T002 in T001', 'T003 in T001'],
    calls: [['tasks.start', { taskId: 'T003' }]],
    changed: ['T001'],
  },
  {
    why: 'both parents of a task that moves',
    tasks: ['T001 epic', 'T002 epic', 'T003 in T001'],
    calls: [['tasks.update', { taskId: 'T003', parent: 'T002' }]],
    changed: ['T001', 'T002', 'T003'],
  },
  {
    why: 'a task becomes a container with its first child',
    tasks: ['T001 epic', 'T002 in T001'],
    calls: [['tasks.add', { title: 'Part', parent: 'T002', priority: 'low' }]],
    changed: ['T001', 'T002', 'T003'],
  },
  {
    why: 'a new child that is better than all others',
    tasks: ['T001 epic', 'T002 in T001 done', 'T003 in T001 low'],
    calls: [['tasks.add', { title: 'Part', parent: 'T001', priority: 'critical' }]],
    changed: ['T001', 'T004'],
  },
  {
    why: 'a blocked container',
    tasks: ['T001 epic', 'T002 in T001', 'T003 in T002'],
    calls: [['tasks.update', { taskId: 'T002', blockedBy: 'a key' }]],
    changed: ['T001', 'T002'],
  },
])('ranks follow $why', async ({ tasks, calls, changed }) => {
  const app = await openApp({ tasks });
  const listRanks = () =>
    app.store.read(async ({ ranks }) => new Map((await ranks.listAll()).map((one) => [`${one.taskId} ${one.bucket}`, one])));
  const before = await listRanks();
  for (const [operation, params] of calls) expect(await app.call(operation, params)).toMatchObject({ success: true });
  const after = await listRanks();
  const different = [...new Set([...before.keys(), ...after.keys()])].filter(
    (place) => JSON.stringify(before.get(place)) !== JSON.stringify(after.get(place)),
  );
  expect([...new Set(different.map((place) => place.split(' ')[0]))].sort()).toEqual(changed);
  expect(await app.store.read(async ({ ranks, tasks: all }) => findStaleRanks(await ranks.listAll(), await all.getOpenGraph()))).toEqual(
    [],
  );
});

test('the container that an orphan was in loses its rank when the orphan is detached', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T002'] });
  await app.tamper("delete from tasks where id = 'T002'");
  // As `doctor --fix` does, which then replaces ranks that are not right.
  await app.store.write({ at: '2026-01-02T00:00:00.000Z', by: 'ada' }, ({ tasks }) => tasks.detachOrphans());
  const ranks = await app.store.read((store) => store.ranks.listAll());
  expect(ranks.map(({ taskId }) => taskId).sort()).toEqual(['T003']);
});
