import { describe, expect, test } from 'vitest';
import { asPerson, openApp } from '../../../../test/app.ts';

const world = ['T001 epic: Parser', 'T002 in T001 high: Lexer', 'T003 in T001: Trees', 'T009 epic: Other', 'T010 in T009: Else'];
const adas = [...world, 'session session-1 epic:T001 by ada: Parse'];

describe('an agent that joined a session', () => {
  test('leaves it with session end: its claims are released, and its part of the handoff is written', async () => {
    const { call, as, store } = await openApp({ tasks: adas });
    await as('ada').call('tasks.start', { taskId: 'T003' });
    await call('session.resume', { sessionId: 'session-1' });
    await call('tasks.start', { taskId: 'T002' });
    const left = await call('session.end', { note: 'The lexer reads numbers' });
    const part = { agent: 'tester', note: 'The lexer reads numbers', done: [], open: [{ id: 'T002', title: 'Lexer' }] };
    expect(left).toMatchObject({
      session: { id: 'session-1', status: 'active' },
      released: ['T002'],
      left: true,
      handoff: { parts: [part] },
    });
    expect(await call('session.status')).toMatchObject({ session: {} });
    expect((await call('session.end')).error).toMatchObject({ exitCode: 36, details: { otherAgentsSession: 'session-1' } });
    expect(await as('ada').call('tasks.current')).toMatchObject({ task: { id: 'T003' } });
    const log = await store.read((reads) => reads.audit.list({}, { limit: 9, offset: 0 }));
    expect(log.filter(({ operation }) => operation === 'end').map(({ agent, exitCode, session }) => [agent, exitCode, session])).toEqual([
      ['tester', 36, undefined],
      ['tester', 0, 'session-1'],
    ]);
    const ended = await as('ada').call('session.end', { note: 'Trees are done' });
    expect(ended).toMatchObject({ session: { status: 'ended' }, handoff: { note: 'Trees are done', parts: [part] } });
  });

  test('ends it if it is the last one', async () => {
    const { call, as } = await openApp({ tasks: adas });
    await call('session.resume', { sessionId: 'session-1' });
    await as('ada').call('session.suspend');
    await call('session.resume', { sessionId: 'session-1' });
    expect((await call('session.show', { sessionId: 'session-1' })).session.agents).toEqual(['tester']);
    expect(await call('session.end')).toMatchObject({ session: { status: 'ended' } });
  });

  test('leaves it with safestop, too, and notes its focus', async () => {
    const { call } = await openApp({ tasks: adas, env: { CLEO_SESSION_ID: 'session-1' } });
    await call('tasks.start', { taskId: 'T002' });
    expect(await call('session.safestop', { reason: 'Full' })).toMatchObject({
      session: { status: 'active' },
      task: { id: 'T002', status: 'pending' },
    });
  });
});

describe('several sessions of one agent', () => {
  const several = [
    ...world,
    'T004 in T001 active by tester@s-a: Held',
    'session s-a epic:T001 by tester',
    'session s-b epic:T009 by tester',
  ];

  test('a task held in one of them selects that session', async () => {
    const { call } = await openApp({ tasks: several });
    expect(await call('tasks.complete', { taskId: 'T004' })).toMatchObject({ success: true, _meta: { sessionId: 's-a' } });
  });

  test('a task that another agent holds in one of them selects none', async () => {
    const { call } = await openApp({ tasks: [...several, 'T005 in T001 active by ada@s-a: Held by another'] });
    expect((await call('tasks.update', { taskId: 'T005', notes: 'x' })).error).toMatchObject({ exitCode: 36 });
  });

  test('a call that selects a graded session is graded', async () => {
    const { call } = await openApp({
      tasks: [
        ...world,
        'T004 in T001 active by tester@s-a: Held',
        'T011 in T009 active by tester@s-b: Held, too',
        'session s-a epic:T001 graded by tester',
        'session s-b epic:T009 by tester',
      ],
      config: { grade: { nudge: true } },
    });
    expect((await call('tasks.update', { taskId: 'T004', notes: 'x' }))._meta.nudge).toMatch(
      /^-\d+: a task operation before session\.list/,
    );
    expect((await call('tasks.update', { taskId: 'T011', notes: 'x' }))._meta).not.toHaveProperty('nudge');
  });

  test.each([
    ['tasks.add', { title: 'x' }, 'cleo add x --session s-a'],
    ['tasks.start', { taskId: 'T010' }, 'cleo start T010 --session s-b'],
    ['tasks.next', {}, 'cleo next --session s-a'],
    ['tasks.current', {}, 'cleo focus show --session s-a'],
    ['orchestrate.ready', {}, 'cleo ready --session s-a'],
  ])('any other %s is 36 with the ids', async (operation, params, fix) => {
    const { call } = await openApp({ tasks: several });
    expect((await call(operation, params)).error).toMatchObject({ exitCode: 36, fix, details: { activeSessions: ['s-a', 's-b'] } });
    expect(await call(operation, params, { session: 's-b' })).toMatchObject({ success: true });
  });

  test('a task held in the session of another agent selects it, too', async () => {
    const { as } = await openApp({ tasks: [...adas, 'T004 in T001 active by worker@session-1: Held'] });
    expect(await as('worker').call('tasks.complete', { taskId: 'T004' })).toMatchObject({
      success: true,
      _meta: { sessionId: 'session-1' },
    });
  });

  test('other reads need no session', async () => {
    const { call } = await openApp({ tasks: several });
    expect(await call('tasks.show', { taskId: 'T002' })).toMatchObject({ success: true });
    expect(await call('session.status')).toMatchObject({ _meta: { exitCode: 100, warnings: [expect.stringContaining('s-a, s-b')] } });
  });
});

test('a write outside any session names the active ones', async () => {
  const { call } = await openApp({ tasks: adas });
  expect((await call('tasks.add', { title: 'x' }))._meta.warnings).toEqual([
    'written outside any session; active: session-1 (session resume joins one)',
  ]);
  expect((await call('tasks.show', { taskId: 'T002' }))._meta.warnings).toBeUndefined();
  await call('session.resume', { sessionId: 'session-1' });
  expect((await call('tasks.add', { title: 'y' }))._meta.warnings).toBeUndefined();
});

test('only a person suspends the session of another agent', async () => {
  const app = await openApp({ tasks: ['T001', 'session session-1 global by bob'] });
  const session = 'session-1';
  expect(await app.call('session.suspend', {}, { session })).toMatchObject({
    error: { code: 'E_FORBIDDEN', exitCode: 64, fix: 'Ask a person to run: cleo session suspend --session session-1' },
  });
  expect(await app.call('session.show', { sessionId: session })).toMatchObject({ session: { status: 'active' } });
  expect(await app.call('session.suspend', {}, { ...asPerson, session })).toMatchObject({ session: { status: 'suspended' } });
  expect(await app.as('bob').call('session.resume', { sessionId: session })).toMatchObject({ session: { status: 'active' } });
});
