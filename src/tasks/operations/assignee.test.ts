import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const day = (now: string, days: number): string => new Date(Date.parse(now) + days * 86_400_000).toISOString().slice(0, 10);
const clock = { now: '2026-03-10T12:00:00.000Z' };
const listIds = (tasks: Json[]): string[] => tasks.map(({ id }) => id);

test('add, add-batch and update set and clear assignee, due and requires', async () => {
  const app = await openApp({ clock: { ...clock } });
  await app.call('tasks.add', { title: 'One', assignee: 'Ada Lovelace', due: '2w', requires: ['linux', 'gpu', 'linux'] });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task).toMatchObject({
    assignee: 'Ada Lovelace',
    due: '2026-03-24',
    requires: ['linux', 'gpu'],
  });
  await app.call('tasks.add-batch', { tasks: [{ title: 'Two', assignee: 'me', due: 'tomorrow' }] });
  expect((await app.call('tasks.show', { taskId: 'T002' })).task).toMatchObject({ assignee: 'tester', due: '2026-03-11' });
  expect(await app.call('tasks.update', { taskId: 'T001', assignee: '@bob', due: '2026-04-01', requires: ['docker'] })).toMatchObject({
    task: { assignee: 'bob', due: '2026-04-01', requires: ['docker'] },
  });
  await app.call('tasks.update', { taskId: 'T001', assignee: 'none', due: 'none', requires: [] });
  const { task } = await app.call('tasks.show', { taskId: 'T001' });
  expect([task.assignee, task.due, task.requires]).toEqual([undefined, undefined, undefined]);
  expect((await app.call('tasks.history', { taskId: 'T001' })).history.map(({ field }: Json) => field)).toEqual([
    'created',
    ...['assignee', 'due', 'requires'],
    ...['assignee', 'due', 'requires'],
  ]);
  expect((await app.cli(['assign', 'T001', 'me'])).envelope.task).toMatchObject({ assignee: 'tester' });
  expect((await app.cli(['update', 'T001', '--requires', 'linux,docker'])).envelope.task).toMatchObject({ requires: ['linux', 'docker'] });
});

test.each([
  ['due', '2026-02-30'],
  ['due', 'soon'],
  ['assignee', 'a\nb'],
  ['requires', ['Not Valid']],
])('rejects %s %j', async (field, value) => {
  const app = await openApp();
  expect(await app.call('tasks.add', { title: 'x', [field]: value })).toMatchObject({
    error: { code: `E_VALIDATION_${field.toUpperCase()}`, exitCode: 6 },
  });
});

test('lists by several values, assignee, due date and time of the last change', async () => {
  const at = { ...clock };
  const app = await openApp({
    clock: at,
    tasks: ['T001 active labels a,b by tester', 'T002 labels a', 'T003 done labels b', 'T004 blocked high'],
  });
  await app.call('tasks.update', { taskId: 'T002', assignee: 'tester', due: 'today' });
  at.now = '2026-03-12T12:00:00.000Z';
  await app.call('tasks.update', { taskId: 'T004', assignee: 'bob', due: '1w' });
  const list = async (params: object): Promise<string[]> => listIds((await app.call('tasks.list', { ...params })).tasks);
  expect(await list({ status: ['pending', 'active'] })).toEqual(['T001', 'T002']);
  expect(await list({ status: 'pending,blocked' })).toEqual(['T002', 'T004']);
  expect(await list({ label: ['a', 'b'] })).toEqual(['T001']);
  expect(await list({ priority: ['high', 'critical'] })).toEqual(['T004']);
  expect(await list({ assignee: 'me' })).toEqual(['T002']);
  expect(await list({ assignee: 'bob' })).toEqual(['T004']);
  expect(await list({ assignee: 'none' })).toEqual(['T001', 'T003']);
  expect(await list({ due: 'today' })).toEqual(['T002']);
  expect(await list({ due: '2w' })).toEqual(['T002', 'T004']);
  expect(await list({ due: 'none' })).toEqual(['T001', 'T003']);
  expect(await list({ since: '1d' })).toEqual(['T004']);
  expect(await list({ since: '2026-03-10', before: '2026-03-11' })).toEqual(['T002']);
  expect(listIds((await app.call('tasks.find', { assignee: 'bob' })).tasks)).toEqual(['T004']);
  expect((await app.cli(['list', '--label', 'a', '--label', 'b', '--status', 'pending,active'])).envelope.tasks).toMatchObject([
    { id: 'T001' },
  ]);
});

test('a due date gives points to next, each with its reason, and orders ready', async () => {
  const app = await openApp({ clock: { ...clock }, tasks: ['T001', 'T002', 'T003', 'T004'] });
  await app.call('tasks.update', { taskId: 'T002', due: day(clock.now, 3) });
  await app.call('tasks.update', { taskId: 'T003', due: day(clock.now, -1) });
  await app.call('tasks.update', { taskId: 'T004', due: day(clock.now, 4) });
  const { recommendation, alternatives } = await app.call('tasks.next', { count: 4 });
  expect(recommendation).toMatchObject({
    taskId: 'T003',
    score: 300,
    reasons: [
      { term: 'priority medium', points: 200 },
      { term: 'overdue since 2026-03-09', points: 100 },
    ],
  });
  expect(alternatives).toMatchObject([
    { taskId: 'T002', score: 250, reasons: [{}, { term: 'due on 2026-03-13', points: 50 }] },
    { taskId: 'T001', score: 200 },
    { taskId: 'T004', score: 200 },
  ]);
  expect(listIds((await app.call('orchestrate.ready')).tasks)).toEqual(['T003', 'T002', 'T001', 'T004']);
});

test('a task is recommended to its assignee and to agents that begin with that name', async () => {
  const app = await openApp({ tasks: ['T001 high', 'T002'] });
  await app.as('bob').call('tasks.update', { taskId: 'T001', assignee: 'bob' });
  const next = async (agent: string, params = {}): Promise<string> =>
    (await app.as(agent).call('tasks.next', params)).recommendation.taskId;
  expect([await next('bob'), await next('bob-reviewer'), await next('bobby'), await next('eve')]).toEqual(['T001', 'T001', 'T002', 'T002']);
  expect(await next('eve', { any: true })).toBe('T001');
  expect(listIds((await app.as('eve').call('orchestrate.ready')).tasks)).toEqual(['T002']);
  expect(await app.as('eve').call('tasks.claim-next')).toMatchObject({ task: { id: 'T002' } });
  expect((await app.as('bob-2').call('tasks.list', { assignee: 'me' })).tasks).toMatchObject([{ id: 'T001', assignee: 'bob' }]);
});

test('only the assignee starts a task, others take it over with a reason', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  await app.as('bob').call('tasks.update', { taskId: 'T001', assignee: 'bob' });
  for (const [operation, params] of [
    ['tasks.start', { taskId: 'T001' }],
    ['tasks.update', { taskId: 'T001', status: 'active' }],
  ] as const)
    expect(await app.as('eve').call(operation, params)).toMatchObject({
      error: { code: 'E_TASK_ASSIGNED', exitCode: 35, message: 'T001 is assigned to bob' },
    });
  const reason = 'bob is on holiday';
  expect(await app.as('eve').call('tasks.start', { taskId: 'T001', takeOver: true, reason })).toMatchObject({
    task: { id: 'T001', status: 'active' },
    takenOverFrom: 'bob',
    _meta: { warnings: [`taken over from bob: ${reason}`] },
  });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task).toMatchObject({
    assignee: 'bob',
    notes: [{ text: `Taken over from bob: ${reason}` }],
  });
});

test('a name that nobody here has reserves nothing', async () => {
  const app = await openApp({ tasks: ['T001 high', 'T002'] });
  await app.call('tasks.update', { taskId: 'T001', assignee: 'Grace Hopper' });
  expect((await app.as('eve').call('tasks.next')).recommendation.taskId).toBe('T001');
  expect(await app.as('eve').call('tasks.start', { taskId: 'T001' })).toMatchObject({ task: { status: 'active' } });
});

test('a take-over of a task that is reserved for nobody leaves no note', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.call('tasks.update', { taskId: 'T001', assignee: 'Grace Hopper' });
  const started = await app.as('eve').call('tasks.start', { taskId: 'T001', takeOver: true, reason: 'she is on holiday' });
  expect(started).not.toHaveProperty('takenOverFrom');
  expect((await app.call('tasks.show', { taskId: 'T001' })).task).not.toHaveProperty('notes');
});

test('names of the configuration and of tokens reserve tasks', async () => {
  const app = await openApp({ tasks: ['T001', 'token ci mutate', 'T002'], config: { agents: ['zoe'] } });
  await app.call('tasks.update', { taskId: 'T001', assignee: 'zoe' });
  await app.call('tasks.update', { taskId: 'T002', assignee: 'ci' });
  expect((await app.as('eve').call('tasks.next'))._meta.exitCode).toBe(100);
  expect((await app.as('eve').call('tasks.next', {}, { token: { name: 'ci', scope: 'mutate' } }))._meta.exitCode).toBe(100);
  expect((await app.as('ci').call('tasks.next')).recommendation.taskId).toBe('T002');
});

test('only the assignee reopens a task, others take it over with a reason', async () => {
  const app = await openApp({ tasks: ['T001 done', 'T002 done', 'T003'] });
  await app.as('bob').call('tasks.update', { taskIds: ['T001', 'T002'], assignee: 'bob' });
  const { error } = await app.as('eve').call('tasks.reopen', { taskId: 'T001' });
  expect(error).toMatchObject({ code: 'E_TASK_ASSIGNED', exitCode: 35 });
  expect(error.alternatives.map(({ command }: Json) => command)).toContainEqual(
    expect.stringMatching(/^cleo reopen T001 --take-over --reason /),
  );
  expect((await app.as('eve').call('tasks.reopen', { taskIds: ['T001', 'T002'] })).error).toMatchObject({ exitCode: 35 });
  expect((await app.as('eve').call('tasks.reopen', { taskId: 'T001', takeOver: true })).error).toMatchObject({ exitCode: 6 });
  expect(await app.as('eve').call('tasks.reopen', { taskId: 'T001', takeOver: true, reason: 'bob is away' })).toMatchObject({
    task: { status: 'active' },
  });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.notes).toMatchObject([{ text: 'Taken over from bob: bob is away' }]);
  expect(await app.as('bob').call('tasks.reopen', { taskId: 'T002' })).toMatchObject({ task: { status: 'active' } });
});
