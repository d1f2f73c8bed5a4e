import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';
import { setTimeZone } from '../../../test/time-zone.ts';

test('shows an empty project', async () => {
  const { call } = await openApp();
  expect(await call('admin.dash')).toMatchObject({
    success: true,
    _meta: { resultsField: 'summary' },
    summary: { tasks: 0, byStatus: {}, byType: {}, ready: 0, active: [], blocked: [], doneToday: [] },
  });
});

test('shows counts, active, blocked and done tasks, and the next one', async () => {
  const clock = { now: '2026-05-06T12:00:00.000Z' };
  const app = await openApp({
    clock,
    tasks: [
      'T001 epic: Parser',
      'T002 in T001 done: Old',
      'T003 in T001: Grammar',
      'T004 in T001 depends T003: Tests',
      'T005 in T001: Docs',
      'T006 high: Alone',
      'T007 done archived: Gone',
      'T008 low: Later',
    ],
  });
  await app.as('ada').call('tasks.start', { taskId: 'T003' });
  await app.call('tasks.update', { taskId: 'T005', blockedBy: 'the style guide' });
  await app.call('tasks.complete', { taskId: 'T008' });
  expect((await app.call('system.dash')).summary).toEqual({
    tasks: 7,
    archived: 1,
    byStatus: { pending: 3, active: 1, blocked: 1, done: 2 },
    byType: { epic: 1, task: 6 },
    ready: 1,
    active: [{ id: 'T003', title: 'Grammar', holder: 'ada', since: clock.now }],
    blocked: [{ id: 'T005', title: 'Docs', why: 'the style guide' }],
    doneToday: [{ id: 'T008', title: 'Later' }],
    next: { taskId: 'T006', title: 'Alone' },
    lastActivity: { at: clock.now, operation: 'tasks.complete', agent: 'tester' },
  });
});

test('shows active sessions and their claims', async () => {
  const clock = { now: '2026-05-06T12:00:00.000Z' };
  const app = await openApp({
    clock,
    tasks: [
      'T001 epic',
      'T002 in T001 active by ada@session-1: Grammar',
      'T003 in T001 active by bob@session-1: Tables',
      'T004 active by eve: Alone',
      'session session-1 epic:T001 by ada: Parser',
      'session session-2 global by bob',
      'session session-3 task:T004 suspended by eve: Over',
    ],
  });
  const since = '2026-01-01T00:00:00.000Z';
  const { summary } = await app.call('admin.dash');
  expect(summary.sessions).toEqual([
    { id: 'session-2', scope: 'global', agent: 'bob', since },
    {
      ...{ id: 'session-1', name: 'Parser', scope: 'epic:T001', agent: 'ada', since },
      claims: [
        { taskId: 'T002', agent: 'ada' },
        { taskId: 'T003', agent: 'bob' },
      ],
    },
  ]);
  expect(summary.active).toEqual([
    { id: 'T002', title: 'Grammar', holder: 'ada', session: 'session-1', since },
    { id: 'T003', title: 'Tables', holder: 'bob', session: 'session-1', since },
    { id: 'T004', title: 'Alone', holder: 'eve', since },
  ]);
});

test('lists tasks that were completed and archived today as done', async () => {
  const clock = { now: '2026-05-06T12:00:00.000Z' };
  const app = await openApp({ clock, tasks: ['T001: First', 'T002: Second', 'T003 done: Old'] });
  await app.call('tasks.complete', { taskId: 'T001' });
  clock.now = '2026-05-06T13:00:00.000Z';
  await app.call('tasks.complete', { taskId: 'T002' });
  for (const taskId of ['T001', 'T003']) await app.call('tasks.archive', { taskId });
  const { summary } = await app.call('admin.dash');
  expect(summary.archived).toBe(2);
  expect(summary.doneToday).toEqual([
    { id: 'T002', title: 'Second' },
    { id: 'T001', title: 'First' },
  ]);
});

test('stays short in a large project', async () => {
  const app = await openApp({
    tasks: Array.from({ length: 300 }, (_, i) => `T${String(i + 1).padStart(3, '0')} blocked: ${'A long title '.repeat(8)}`),
  });
  const { out } = await app.cli('cleo dash');
  expect(JSON.parse(out).summary.blocked).toHaveLength(10);
  expect(out.length).toBeLessThan(3000);
});

test('shows the settings that an agent may change, if they differ from the default', async () => {
  const { call } = await openApp({ config: { session: { requireNote: true } } });
  expect((await call('admin.dash')).summary.settings).toBeUndefined();
  await call('admin.config.set', { key: 'lifecycleEnforcement.mode', value: 'off' });
  await call('admin.config.set', { key: 'hierarchy.maxSiblings', value: 0 });
  expect((await call('admin.dash')).summary.settings).toEqual([
    { key: 'hierarchy.maxSiblings', value: 0 },
    { key: 'lifecycleEnforcement.mode', value: 'off' },
  ]);
});

test('takes a limit for its lists, and the time since which tasks are done', async () => {
  const clock = { now: '2026-03-01T23:00:00.000Z' };
  const tasks = Array.from({ length: 12 }, (_, i) => `T${String(i + 1).padStart(3, '0')} blocked`);
  const { call } = await openApp({ clock, tasks: [...tasks, 'T013'] });
  await call('tasks.start', { taskId: 'T013' });
  await call('tasks.complete', { taskId: 'T013' });
  clock.now = '2026-03-02T01:00:00.000Z';
  expect((await call('admin.dash')).summary).toMatchObject({ blocked: { length: 10 }, doneToday: [] });
  expect((await call('admin.dash', { limit: 0, since: '2026-03-01T22:00:00Z' })).summary).toMatchObject({
    blocked: { length: 12 },
    doneToday: [{ id: 'T013' }],
  });
});

test('done today begins at midnight in the time zone of the machine', async () => {
  setTimeZone('Pacific/Auckland');
  const clock = { now: '2026-01-30T10:59:59.000Z' };
  const { call } = await openApp({ tasks: ['T001', 'T002'], clock });
  await call('tasks.complete', { taskId: 'T001' });
  clock.now = '2026-01-30T11:00:00.000Z';
  await call('tasks.complete', { taskId: 'T002' });
  clock.now = '2026-01-31T10:59:59.000Z';
  expect((await call('admin.dash')).summary.doneToday).toMatchObject([{ id: 'T002' }]);
});

test('shows open tasks that take no more evidence until a person looks at them', async () => {
  const app = await openApp({ tasks: ['T001 active by ada: Parser', 'T002: Lexer', 'T003 done: Old', 'T004: Tests', 'T005: Docs'] });
  await app.store.write({ at: '2026-05-06T12:00:00.000Z', by: 'ada' }, async ({ gates }) => {
    for (const taskId of ['T001', 'T003', 'T004', 'T005'] as const) await gates.saveRounds(taskId, { round: 6, failed: 5 });
    await gates.saveRounds('T002', { round: 5, failed: 4 });
  });
  await app.call('tasks.cancel', { taskId: 'T004', reason: 'not needed' });
  expect((await app.call('admin.dash')).summary.exhaustedRounds).toEqual([
    { id: 'T001', title: 'Parser', failedRounds: 5 },
    { id: 'T005', title: 'Docs', failedRounds: 5 },
  ]);
  expect((await app.call('admin.dash', { limit: 1 })).summary.exhaustedRounds).toHaveLength(1);
});
