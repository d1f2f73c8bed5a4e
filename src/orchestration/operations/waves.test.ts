import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const world = [
  'T001 epic: Parser',
  'T002 in T001 small: Grammar',
  'T003 in T001 critical depends T002: Tables',
  'T004 in T001 depends T002,T021: Trees',
  'T005 in T001 done: Lexer',
  'T006 in T001 depends T020: Messages',
  'T007 in T001 blocked: Names',
  'T008 in T001 depends T003,T007: Docs',
  'T010 epic: Other',
  'T020 in T010: Words',
  'T021 in T010 done archived: Letters',
];
const ids = (seen: Json): string[][] => seen.waves.map(({ tasks }: Json) => tasks.map(({ id }: Json) => id));

test('plans an epic in waves, with blocked tasks, reasons and progress', async () => {
  const { call } = await openApp({ tasks: world });
  const { _meta: meta, success: _, ...found } = await call('orchestrate.analyze', { epicId: 'T001' });
  expect(meta).toMatchObject({ command: 'orchestrate.analyze', resultsField: 'waves' });
  expect(found).toEqual({
    waves: [
      { wave: 1, tasks: [{ id: 'T002', title: 'Grammar', status: 'pending', size: 'small' }] },
      {
        wave: 2,
        tasks: [
          { id: 'T003', title: 'Tables', status: 'pending' },
          { id: 'T004', title: 'Trees', status: 'pending' },
        ],
      },
    ],
    root: { id: 'T001', title: 'Parser', status: 'pending', type: 'epic' },
    progress: { done: 1, total: 7, percent: 14 },
    parallelism: 2,
    criticalPath: ['T002', 'T003'],
    blocked: [
      { id: 'T006', title: 'Messages', status: 'pending', reasons: [{ kind: 'external', on: 'T020' }] },
      { id: 'T007', title: 'Names', status: 'blocked', reasons: [{ kind: 'stated', text: 'waiting' }] },
      { id: 'T008', title: 'Docs', status: 'pending', reasons: [{ kind: 'waits', on: 'T007' }] },
    ],
    externalBlockers: [{ id: 'T020', title: 'Words', status: 'pending', blocks: ['T006'] }],
    conflicts: [],
    cycles: [],
  });
});

test('counts a done dependency in another epic as met and names an open one', async () => {
  const { call } = await openApp({
    tasks: ['T001 epic', 'T002 in T001 depends T005', 'T003 in T001 depends T006', 'T004 epic', 'T005 in T004 done', 'T006 in T004'],
  });
  const before = await call('orchestrate.analyze', { epic: 'T001' });
  expect(ids(before)).toEqual([['T002']]);
  expect(before.externalBlockers).toMatchObject([{ id: 'T006', blocks: ['T003'] }]);
  await call('tasks.complete', { taskId: 'T006' });
  const after = await call('orchestrate.analyze', { epic: 'T001' });
  expect([ids(after), after.externalBlockers]).toEqual([[['T002', 'T003']], []]);
});

test('plans a saga as a whole, with dependencies between its epics', async () => {
  const { call, cli } = await openApp({
    tasks: [
      'T001 saga',
      'T002 in T001',
      'T003 in T002',
      'T004 in T001 depends T002',
      'T005 in T004',
      'T006 in T004 depends T005',
      'T007 in T002 depends T006',
    ],
  });
  // T004 depends on T002, which contains T007, which depends on a task of T004: a cycle that the store refuses.
  expect((await call('tasks.update', { taskId: 'T007', depends: [] })).success).toBe(true);
  expect(ids(await call('orchestrate.waves', { sagaId: 'T001' }))).toEqual([['T003', 'T007'], ['T005'], ['T006']]);
  expect(ids(await call('orchestrate.waves', { epicId: 'T004' }))).toEqual([]);
  expect((await cli('cleo orchestrator waves --epic SG-T001')).envelope.waves).toHaveLength(3);
});

test('reports files that two tasks of one wave touch', async () => {
  const { call } = await openApp({
    tasks: ['T001 epic', 'T002 in T001 files a.ts,b.ts', 'T003 in T001 files a.ts', 'T004 in T001 depends T002 files b.ts'],
  });
  expect((await call('orchestrate.analyze', { epic: 'T001' })).conflicts).toEqual([{ wave: 1, file: 'a.ts', tasks: ['T002', 'T003'] }]);
});

test('reports a cycle in a damaged store and plans the rest', async () => {
  const { call, tamper } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002', 'T004 in T001'] });
  await tamper("insert into task_dependencies (task_id, depends_on, position) values ('T002', 'T003', 0)");
  const found = await call('orchestrate.analyze', { epic: 'T001' });
  expect([ids(found), found.cycles]).toEqual([[['T004']], [['T002', 'T003', 'T002']]]);
  expect(found.blocked.map(({ id }: Json) => id)).toEqual(['T002', 'T003']);
});

test('uses the session scope without a root, and everything without a session', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003', 'T004 done archived'] });
  expect(await call('orchestrate.analyze')).toMatchObject({ progress: { done: 1, total: 3, percent: 33 }, parallelism: 2 });
  expect(ids(await call('orchestrate.waves'))).toEqual([['T002', 'T003']]);
  await call('orchestrate.start', { epic: 'T001' });
  expect(ids(await call('orchestrate.waves'))).toEqual([['T002']]);
  expect(await call('orchestrate.analyze')).toMatchObject({ root: { id: 'T001' }, progress: { done: 0, total: 1 } });
});

test('plans a single task as one wave unless its container waits', async () => {
  const { call } = await openApp({ tasks: ['T001 epic depends T009', 'T002 in T001', 'T003', 'T009'] });
  expect(ids(await call('orchestrate.waves', { epic: 'T003' }))).toEqual([['T003']]);
  expect(await call('orchestrate.analyze', { epic: 'T002' })).toMatchObject({
    waves: [],
    blocked: [{ id: 'T002', reasons: [{ kind: 'external', on: 'T009', via: 'T001' }] }],
    externalBlockers: [{ id: 'T009', blocks: ['T001'] }],
  });
});

test.each(['orchestrate.analyze', 'orchestrate.waves', 'orchestrate.status'])(
  '%s exits with 100 when nothing is left and with 4 for an unknown root',
  async (operation) => {
    const { call, reply } = await openApp({ tasks: ['T001 epic', 'T002 in T001 done', 'T010 epic'] });
    expect(await reply(operation, { epic: 'T001' })).toMatchObject({ exitCode: 100, envelope: { success: true } });
    expect((await call(operation, { epic: 'T099' })).error).toMatchObject({ code: 'E_NOT_FOUND', exitCode: 4 });
  },
);

test('reports blocked tasks without any wave', async () => {
  const { reply } = await openApp({ tasks: ['T001 epic', 'T002 in T001 blocked'] });
  expect(await reply('orchestrate.analyze', { epic: 'T001' })).toMatchObject({
    exitCode: 0,
    envelope: { waves: [], blocked: [{ id: 'T002' }] },
  });
  expect(await reply('orchestrate.waves', { epic: 'T001' })).toMatchObject({ exitCode: 100, envelope: { waves: [] } });
});

test('puts the same tasks in ready and the first wave, except claimed ones', async () => {
  const { call } = await openApp({ tasks: [...world, 'T009 in T001 active by ada'] });
  const ready = (await call('orchestrate.ready', { epic: 'T001' })).tasks.map(({ id }: Json) => id);
  expect(ids(await call('orchestrate.waves', { epic: 'T001' }))[0]).toEqual([...ready, 'T009']);
});

test('names the agent that a task with a lapsed claim is taken over from', async () => {
  const app = await openApp({ tasks: ['T001 active by ada', 'T002 active by bob'] });
  await app.tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z' where task_id = 'T001'");
  const { waves } = await app.call('orchestrate.waves');
  expect(waves[0].tasks).toEqual([
    { id: 'T001', title: 'Task T001', status: 'active', takenOverFrom: 'ada' },
    { id: 'T002', title: 'Task T002', status: 'active' },
  ]);
});
