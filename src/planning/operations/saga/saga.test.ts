import { describe, expect, test } from 'vitest';
import { type Json, openApp } from '../../../../test/app.ts';

const world = [
  'T001 saga: Any language',
  'T002 in T001: Reader',
  'T003 in T002 done',
  'T004 in T002 high: Grammar',
  'T005 in T004 depends T003: Rules',
  'T006 in T002 blocked: Names',
  'T007 in T001 depends T002: Writer',
  'T008 in T007',
  'T009 in T001 done archived: Study',
  'T010 in T009 done archived',
  'T020 epic: Elsewhere',
  'T021 in T020: Words',
  'T022 in T002 depends T021: Phrases',
  'T030 saga: Small',
];

describe('saga.create', () => {
  test('creates a saga with acceptance criteria', async () => {
    const { call, cli } = await openApp();
    const { envelope } = await cli('cleo saga create --title "Any language" --acceptance "Three are read|None is special"');
    expect(envelope).toMatchObject({
      _meta: { command: 'saga.create', resultsField: 'task' },
      task: { id: 'T001', type: 'saga', acceptance: [{ text: 'Three are read' }, { text: 'None is special' }] },
      data: { created: ['T001'] },
    });
    expect((await call('tasks.show', { taskId: 'T001' })).task.acceptance).toHaveLength(2);
    expect(await call('saga.create', { title: 'Another', dryRun: true })).toMatchObject({ data: { dryRun: true, wouldCreate: 1 } });
  });

  test('works in a session of any scope, unlike `add`', async () => {
    const { call } = await openApp({ tasks: ['T001 epic', 'session session-1 epic:T001 by tester'] });
    expect((await call('tasks.add', { title: 'x', type: 'saga' })).error).toMatchObject({ exitCode: 34 });
    expect(await call('saga.create', { title: 'Any language' })).toMatchObject({ success: true, task: { type: 'saga' } });
    expect((await call('saga.create', { title: ' ' })).error).toMatchObject({ exitCode: 6 });
  });
});

describe('saga.add', () => {
  test('moves an epic into the saga; a second call changes nothing', async () => {
    const { call, reply, cli } = await openApp({ tasks: world });
    expect((await cli('cleo saga add T030 T020')).envelope).toMatchObject({
      task: { id: 'T020', parentId: 'T030' },
      data: { updated: ['T020'] },
    });
    expect(await reply('saga.add', { sagaId: 'T030', epicId: 'T020' })).toMatchObject({ exitCode: 102 });
    expect((await call('saga.members', { sagaId: 'T030' })).members).toMatchObject([{ id: 'T020', total: 1 }]);
    // From one saga to another.
    expect(await call('saga.add', { saga: 'T001', epic: 'T020' })).toMatchObject({ task: { parentId: 'T001' } });
  });

  test.each([
    ['refuses an epic as saga', 'T020', 'T002', 'E_INVALID_PARENT_TYPE', 13],
    ['refuses a task as epic', 'T001', 'T021', 'E_INVALID_PARENT_TYPE', 13],
    ['refuses a task below an epic', 'T020', 'T004', 'E_INVALID_PARENT_TYPE', 13],
    ['refuses an unknown saga', 'T055', 'T020', 'E_NOT_FOUND', 4],
    ['refuses an unknown epic', 'T001', 'T055', 'E_NOT_FOUND', 4],
  ])('%s', async (_, sagaId, epicId, code, exitCode) => {
    const { call, cli } = await openApp({ tasks: world });
    const { error } = await call('saga.add', { sagaId, epicId });
    expect(error).toMatchObject({ code, exitCode });
    expect((await cli(error.fix)).exitCode).toBe(0);
  });

  test('refuses a done saga, and an epic outside the scope', async () => {
    const { call } = await openApp({
      tasks: ['T001 saga done', 'T002 epic', 'T003 epic', 'T004 saga', 'session session-1 epic:T003 by tester'],
    });
    expect((await call('saga.add', { sagaId: 'T001', epicId: 'T002' })).error).toMatchObject({ exitCode: 34 });
    await call('session.end');
    expect((await call('saga.add', { sagaId: 'T001', epicId: 'T002' })).error).toMatchObject({ code: 'E_TASK_COMPLETED', exitCode: 17 });
  });
});

test('saga.members lists each epic with its progress, archived ones too', async () => {
  const { call } = await openApp({ tasks: world });
  const found = await call('saga.members', { sagaId: 'T001' });
  const epic = { type: 'epic', priority: 'medium', parentId: 'T001' };
  expect(found.members).toEqual([
    { ...epic, id: 'T002', title: 'Reader', status: 'pending', done: 1, total: 5, percent: 20 },
    { ...epic, id: 'T007', title: 'Writer', status: 'pending', done: 0, total: 1, percent: 0 },
    { ...epic, id: 'T009', title: 'Study', status: 'done', done: 1, total: 1, percent: 100 },
  ]);
  const page = await call('saga.members', { sagaId: 'T001', limit: 1, offset: 1 });
  expect([page.members.map(({ id }: Json) => id), page._meta.truncated]).toEqual([['T007'], { shown: 1, total: 3 }]);
  expect(await call('saga.members', { sagaId: 'T030' })).toMatchObject({ _meta: { exitCode: 100 }, members: [] });
});

test('saga.list counts the epics of each saga', async () => {
  const { call } = await openApp({ tasks: world });
  const found = await call('saga.list');
  expect(found.sagas).toEqual([
    {
      ...{ id: 'T001', title: 'Any language', status: 'pending', type: 'saga', priority: 'medium' },
      ...{ done: 2, total: 7, percent: 28, members: 3 },
    },
    { id: 'T030', title: 'Small', status: 'pending', type: 'saga', priority: 'medium', done: 0, total: 0, percent: 0, members: 0 },
  ]);
  expect((await call('saga.list', { limit: 1 }))._meta.truncated).toEqual({ shown: 1, total: 2 });
  const { call: other } = await openApp({ tasks: ['T001'] });
  expect(await other('saga.list')).toMatchObject({ _meta: { exitCode: 100 }, sagas: [] });
});

describe('saga.rollup', () => {
  test('shows progress, ready tasks and blockers over all epics', async () => {
    const { call } = await openApp({ tasks: world });
    expect((await call('saga.rollup', { sagaId: 'SG-T1' })).rollup).toEqual({
      ...{ id: 'T001', title: 'Any language', status: 'pending', type: 'saga', percent: 28, done: 2, total: 7 },
      members: { done: 1, total: 3 },
      byStatus: { pending: 4, active: 0, blocked: 1, done: 2 },
      ready: [{ id: 'T005', title: 'Rules', status: 'pending', priority: 'medium', parentId: 'T004' }],
      blockers: [
        { id: 'T006', title: 'Names', status: 'blocked', type: 'task', kind: 'stated', text: 'waiting' },
        { id: 'T021', title: 'Words', status: 'pending', kind: 'external', blocks: ['T022'] },
      ],
    });
  });

  test('reports an epic without open tasks that another waits for', async () => {
    const { call } = await openApp({
      tasks: ['T001 saga', 'T002 in T001', 'T003 in T002 done', 'T004 in T001 depends T002', 'T005 in T004'],
    });
    expect((await call('saga.rollup', { sagaId: 'T001' })).rollup.blockers).toEqual([
      { id: 'T002', title: 'Task T002', status: 'pending', type: 'epic', kind: 'unfinished', blocks: ['T004'] },
    ]);
    await call('tasks.complete', { taskId: 'T002' });
    expect((await call('saga.rollup', { sagaId: 'T001' })).rollup).toMatchObject({ ready: [{ id: 'T005' }], blockers: [] });
  });

  test('leaves out claimed tasks, and truncates a long list', async () => {
    const { call } = await openApp({
      tasks: ['T001 saga', 'T002 in T001', 'T003 in T002 active by ada', 'T004 in T002', 'T005 in T002'],
    });
    const found = await call('saga.rollup', { sagaId: 'T001', limit: 1 });
    expect(found).toMatchObject({
      _meta: { truncated: { shown: 1, total: 2 } },
      rollup: { ready: [{ id: 'T004' }], byStatus: { active: 1 } },
    });
  });
});

test.each(['saga.members', 'saga.rollup'])('%s needs a saga', async (operation) => {
  const { call, cli } = await openApp({ tasks: world });
  const { error } = await call(operation, { sagaId: 'T002' });
  expect(error).toMatchObject({ code: 'E_VALIDATION_SAGA_ID', exitCode: 6 });
  expect((await cli(error.fix)).exitCode).toBe(0);
  expect((await call(operation, { sagaId: 'T099' })).error).toMatchObject({ exitCode: 4 });
});

test('add of a task that is no epic suggests the epics, or how to add one', async () => {
  const empty = await openApp({ tasks: ['T001 saga', 'T002'] });
  expect(await empty.call('saga.add', { sagaId: 'T001', epicId: 'T002' })).toMatchObject({ error: { exitCode: 13, fix: 'cleo help add' } });
  const { call } = await openApp({ tasks: ['T001 saga', 'T002', 'T003 epic'] });
  expect(await call('saga.add', { sagaId: 'T001', epicId: 'T002' })).toMatchObject({ error: { fix: 'cleo list --type epic' } });
  expect(await call('saga.add', { sagaId: 'T003', epicId: 'T002' })).toMatchObject({ error: { fix: 'cleo saga list' } });
});
