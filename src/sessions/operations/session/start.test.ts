import { describe, expect, test } from 'vitest';
import { openApp } from '../../../../test/app.ts';

const world = [
  'T001 saga',
  'T002 in T001: Parser',
  'T003 in T002 high: Lexer',
  'T004 in T003: Tokens',
  'T005 in T002: Trees',
  'T009 epic: Other',
];
const auto = { autoFocus: true };

describe('session start', () => {
  test('focuses the leaf that next recommends in the scope', async () => {
    const { call } = await openApp({ tasks: [...world, 'T010 critical: Elsewhere'] });
    const started = await call('session.start', { scope: 'epic:T2', name: 'Parse', ...auto });
    expect(started).toMatchObject({
      success: true,
      session: {
        id: expect.stringMatching(/^session-\d+-[0-9a-f]{6}$/),
        name: 'Parse',
        scope: 'epic:T002',
        status: 'active',
        agent: 'tester',
      },
      focus: { id: 'T004', status: 'active' },
    });
    expect(started._meta.sessionId).toBe(started.session.id);
    expect(await call('tasks.current')).toMatchObject({ task: { id: 'T004' }, claim: { session: started.session.id } });
  });

  test('focuses the task it names', async () => {
    const { call } = await openApp({ tasks: world });
    expect(await call('session.start', { scope: 'epic:T002', focus: 'T005' })).toMatchObject({ focus: { id: 'T005', status: 'active' } });
  });

  test('succeeds with a warning where nothing is ready', async () => {
    const { call } = await openApp({ tasks: ['T001 epic'] });
    const started = await call('session.start', { scope: 'epic:T001', ...auto });
    expect(started).toMatchObject({ success: true, _meta: { warnings: [expect.stringContaining('nothing in the scope')] } });
    expect(started.focus).toBeUndefined();
  });

  test('does not end other sessions', async () => {
    const { call, as } = await openApp({ tasks: world });
    await call('session.start', { scope: 'epic:T002', ...auto });
    await as('bob').call('session.start', { scope: 'epic:T009', ...auto });
    await as('eve').call('session.start', { scope: 'global', ...auto });
    const { sessions } = await call('session.list', { status: 'active' });
    expect(sessions.map(({ scope }: { scope: string }) => scope)).toEqual(['global', 'epic:T009', 'epic:T002']);
  });

  test('accepts autoStart as an alias of autoFocus', async () => {
    const { call } = await openApp({ tasks: world });
    expect(await call('session.start', { scope: 'epic:T002', name: 'Work', autoStart: true })).toMatchObject({ success: true });
  });

  test.each([
    ['cleo_mutate', undefined, 0],
    ['http', undefined, 0],
    ['cli', undefined, 38],
    ['cleo_mutate', false, 0],
    ['cli', false, 38],
  ] as const)('over %s with autoFocus %s exits with %i', async (gateway, autoFocus, exit) => {
    const { reply } = await openApp({ tasks: world });
    const params = { scope: 'epic:T002', ...(autoFocus === undefined ? {} : { autoFocus }) };
    expect((await reply('session.start', params, { gateway })).exitCode).toBe(exit);
  });

  test('prints the variables that put a shell into the session', async () => {
    const { cli } = await openApp({ tasks: world });
    const plain = await cli('cleo session start --scope epic:T002 --auto-focus --export');
    expect(plain.out).toMatch(/^export CLEO_SESSION_ID=session-\d+-[0-9a-f]{6}\n$/);
    await cli('cleo session end');
    const graded = await cli('cleo session start --scope epic:T009 --auto-focus --grade --export');
    expect(graded.out.trim().split('\n')).toEqual([
      expect.stringMatching(/^export CLEO_SESSION_ID=session-/),
      'export CLEO_SESSION_GRADE=true',
      expect.stringMatching(/^export CLEO_SESSION_GRADE_ID=session-/),
    ]);
  });

  test('records the new session in its audit entry', async () => {
    const { call, store } = await openApp({ tasks: world });
    const { session } = await call('session.start', { scope: 'epic:T002', ...auto });
    const [entry] = await store.read((reads) => reads.audit.listAfter(0, 10));
    expect(entry).toMatchObject({ session: session.id, domain: 'session', operation: 'start' });
  });
});

describe('session start fails', () => {
  test.each([
    [{}, 33],
    [{ scope: 'banana', ...auto }, 33],
    [{ scope: 'epic:T404', ...auto }, 33],
    [{ scope: 'epic:T003', ...auto }, 33],
    [{ scope: 'saga:T002', ...auto }, 33],
    [{ scope: 'epic:T002' }, 38],
  ])('for %j with %i', async (params, exit) => {
    const { reply } = await openApp({ tasks: world });
    expect((await reply('session.start', params)).exitCode).toBe(exit);
  });

  test('with 30 if an active session has the same scope, and the fix joins it', async () => {
    const { call, as, cli } = await openApp({ tasks: world });
    const { session } = await as('ada').call('session.start', { scope: 'epic:T002', ...auto });
    const failed = await call('session.start', { scope: 'epic:T002', ...auto });
    expect(failed.error).toMatchObject({ code: 'E_SESSION_EXISTS', exitCode: 30, fix: `cleo session resume ${session.id}` });
    expect((await cli(failed.error.fix)).exitCode).toBe(0);
  });

  test.each(['saga:T001', 'task:T003', 'task:T004'])('with 32 if %s overlaps an active epic:T002', async (scope) => {
    const { call, as } = await openApp({ tasks: world });
    await as('ada').call('session.start', { scope: 'epic:T002', ...auto });
    expect((await call('session.start', { scope, ...auto })).error).toMatchObject({ code: 'E_SCOPE_CONFLICT', exitCode: 32 });
  });

  test('with 67 if the agent is in another session', async () => {
    const { call, as, cli } = await openApp({ tasks: world });
    await call('session.start', { scope: 'epic:T002', ...auto });
    const failed = await call('session.start', { scope: 'epic:T009', ...auto });
    expect(failed.error).toMatchObject({ code: 'E_CONCURRENT_SESSION', exitCode: 67 });
    const second = 'CLEO_AGENT_ID=tester-2 cleo session start --scope epic:T009 --auto-focus';
    expect(failed.error.alternatives.at(-1).command).toBe(second);
    expect(await as('bob').call('session.start', { scope: 'epic:T009', ...auto })).toMatchObject({ success: true });
    expect((await cli(failed.error.fix)).exitCode).toBe(0);
  });

  test('with the first of 33, 38, 30, 67, 32', async () => {
    const { call } = await openApp({ tasks: world });
    await call('session.start', { scope: 'epic:T002', ...auto });
    const exit = async (params: object) => (await call('session.start', { ...params })).error?.exitCode;
    expect(await exit({ scope: 'epic:T404' })).toBe(33);
    expect(await exit({ scope: 'epic:T002' })).toBe(38);
    expect(await exit({ scope: 'epic:T002', ...auto })).toBe(30);
    expect(await exit({ scope: 'task:T003', ...auto })).toBe(67);
  });

  test('with autoFocus false over MCP without a focus', async () => {
    const { call } = await openApp({ tasks: world });
    const started = await call('session.start', { scope: 'epic:T002', autoStart: false }, { gateway: 'cleo_mutate' });
    expect(started).toMatchObject({ success: true, session: { status: 'active' } });
    expect([started.focus, started._meta.warnings]).toEqual([undefined, undefined]);
  });

  test('with 34 if the focus is outside the scope and 35 if it is claimed, and starts nothing', async () => {
    const { call } = await openApp({ tasks: [...world, 'T011 in T009 active by ada: Held'] });
    expect((await call('session.start', { scope: 'epic:T002', focus: 'T009' })).error.exitCode).toBe(34);
    expect((await call('session.start', { scope: 'epic:T009', focus: 'T011' })).error.exitCode).toBe(35);
    expect(await call('session.list')).toMatchObject({ _meta: { exitCode: 100 }, sessions: [] });
  });
});
