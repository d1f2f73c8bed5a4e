import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('resolves refs in any order', async () => {
  const { call } = await openApp({ tasks: ['T001 epic'] });
  const answer = await call('tasks.add-batch', {
    tasks: [
      { title: 'Test it', parent: 'sub', depends: ['parse'] },
      { ref: 'sub', title: 'Group', parent: '1' },
      { ref: 'parse', title: 'Parse it', parent: 'sub', notes: 'first' },
    ],
  });
  expect(answer).toMatchObject({
    tasks: [
      { id: 'T002', type: 'subtask', parentId: 'T003' },
      { id: 'T003', type: 'task', parentId: 'T001' },
      { id: 'T004', type: 'subtask', parentId: 'T003' },
    ],
    data: { created: ['T002', 'T003', 'T004'] },
  });
  expect((await call('tasks.show', { taskId: 'T002' })).task.depends).toEqual(['T004']);
});

const base = { title: 'x' };

test.each([
  [
    'a cycle of dependencies',
    [
      { ...base, ref: 'a', depends: ['b'] },
      { ...base, ref: 'b', depends: ['a'] },
    ],
    14,
  ],
  [
    'a cycle of parents',
    [
      { ...base, ref: 'a', parent: 'b' },
      { ...base, ref: 'b', parent: 'a' },
    ],
    14,
  ],
  ['an unknown parent', [base, { ...base, parent: 'T099' }], 10],
  ['an unknown dependency', [base, { ...base, depends: ['T099'] }], 4],
  ['an invalid reference', [{ ...base, parent: 'nope!' }], 2],
  [
    'a duplicate ref',
    [
      { ...base, ref: 'a' },
      { ...base, ref: 'a' },
    ],
    22,
  ],
  ['too many siblings', Array.from({ length: 8 }, () => ({ ...base, parent: 'T001' })), 12],
  ['a wrong tier', [{ ...base, parent: 'T001', type: 'saga' }], 13],
  [
    'a fourth level',
    [
      { ...base, ref: 'a', parent: 'T001' },
      { ...base, ref: 'b', parent: 'a' },
      { ...base, parent: 'b' },
    ],
    11,
  ],
  ['a long title', [base, { title: 'x'.repeat(201) }], 6],
  ['no entries', [], 6],
])('creates nothing for %s', async (_, tasks, exitCode) => {
  const { call } = await openApp({ tasks: ['T001 epic'] });
  expect(await call('tasks.add-batch', { tasks })).toMatchObject({ error: { exitCode } });
  expect(await call('tasks.exists', { taskId: 'T002' })).toMatchObject({ exists: false });
  expect(await call('tasks.add', { title: 'No id was lost' })).toMatchObject({ task: { id: 'T002' } });
});

test('names the index of the invalid entry', async () => {
  const { call } = await openApp();
  expect(await call('tasks.add-batch', { tasks: [base, base, { ...base, parent: 'T077' }] })).toMatchObject({
    error: { details: { entry: 2 } },
  });
});

test('counts a thousand entries in a dry run', async () => {
  const { call } = await openApp({ config: { hierarchy: { maxSiblings: 0 } } });
  const tasks = Array.from({ length: 1000 }, (_, i) => ({ ref: `r${i}`, title: `Task ${i}`, depends: i ? [`r${i - 1}`] : [] }));
  expect(await call('tasks.add-batch', { tasks, dryRun: true })).toMatchObject({
    data: { dryRun: true, wouldCreate: 1000, insertedCount: 0 },
  });
  expect((await call('tasks.add-batch', { tasks })).data.created).toHaveLength(1000);
});

test('rejects an entry outside the scope of the session', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 epic', 'session session-1 epic:T001 by tester'] });
  const tasks = [
    { ...base, parent: 'T001' },
    { ...base, parent: 'T002' },
  ];
  expect(await call('tasks.add-batch', { tasks }, { session: 'session-1' })).toMatchObject({
    error: { code: 'E_TASK_NOT_IN_SCOPE', exitCode: 34, details: { entry: 1 } },
  });
});
