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

describe('a session starts', () => {
  test('with a scope and the focus that next recommends in it, a leaf, never the epic itself', async () => {
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

  test('on the task it names', async () => {
    const { call } = await openApp({ tasks: world });
    expect(await call('session.start', { scope: 'epic:T002', focus: 'T005' })).toMatchObject({ focus: { id: 'T005', status: 'active' } });
  });

  test('also where nothing is ready, and says so', async () => {
    const { call } = await openApp({ tasks: ['T001 epic'] });
    const started = await call('session.start', { scope: 'epic:T001', ...auto });
    expect(started).toMatchObject({ success: true, _meta: { warnings: [expect.stringContaining('nothing in the scope')] } });
    expect(started.focus).toBeUndefined();
  });

  test('beside others; starting one never ends another', async () => {
    const { call, as } = await openApp({ tasks: world });
    await call('session.start', { scope: 'epic:T002', ...auto });
    await as('bob').call('session.start', { scope: 'epic:T009', ...auto });
    await as('eve').call('session.start', { scope: 'global', ...auto });
    const { sessions } = await call('session.list', { status: 'active' });
    expect(sessions.map(({ scope }: { scope: string }) => scope)).toEqual(['global', 'epic:T009', 'epic:T002']);
  });

  test('under the name autoStart as well, which some callers know', async () => {
    const { call } = await openApp({ tasks: world });
    expect(await call('session.start', { scope: 'epic:T002', name: 'Work', autoStart: true })).toMatchObject({ success: true });
  });

  test.each([
    ['cleo_mutate', undefined, 0],
    ['http', undefined, 0],
    ['cli', undefined, 38],
    ['cleo_mutate', false, 38],
  ] as const)('through %s with autoFocus %s: %i', async (gateway, autoFocus, exit) => {
    const { reply } = await openApp({ tasks: world });
    const params = { scope: 'epic:T002', ...(autoFocus === undefined ? {} : { autoFocus }) };
    expect((await reply('session.start', params, { gateway })).exitCode).toBe(exit);
  });

  test('and prints what puts a shell into it', async () => {
    const { cli } = await openApp({ tasks: world });
    const plain = await cli('cleo session start --scope epic:T002 --auto-focus --export');
    expect(plain.out).toMatch(/^export CLEO_SESSION_ID=session-\d+-[0-9a-f]{6}\n$/);
    const graded = await cli('cleo session start --scope epic:T009 --auto-focus --grade --export');
    expect(graded.out.trim().split('\n')).toEqual([
      expect.stringMatching(/^export CLEO_SESSION_ID=session-/),
      'export CLEO_SESSION_GRADE=true',
      expect.stringMatching(/^export CLEO_SESSION_GRADE_ID=session-/),
    ]);
  });

  test('and its audit entry carries the new session', async () => {
    const { call, store } = await openApp({ tasks: world });
    const { session } = await call('session.start', { scope: 'epic:T002', ...auto });
    const [entry] = await store.read((reads) => reads.audit.after(0, 10));
    expect(entry).toMatchObject({ session: session.id, domain: 'session', operation: 'start' });
  });
});

describe('a start is refused', () => {
  test.each([
    [{}, 33],
    [{ scope: 'banana', ...auto }, 33],
    [{ scope: 'epic:T404', ...auto }, 33],
    [{ scope: 'epic:T003', ...auto }, 33],
    [{ scope: 'saga:T002', ...auto }, 33],
    [{ scope: 'epic:T002' }, 38],
  ])('%j: %i', async (params, exit) => {
    const { reply } = await openApp({ tasks: world });
    expect((await reply('session.start', params)).exitCode).toBe(exit);
  });

  test('because an active session has that very scope: 30, and the way out joins it', async () => {
    const { call, as, cli } = await openApp({ tasks: world });
    const { session } = await as('ada').call('session.start', { scope: 'epic:T002', ...auto });
    const refused = await call('session.start', { scope: 'epic:T002', ...auto });
    expect(refused.error).toMatchObject({ code: 'E_SESSION_EXISTS', exitCode: 30, fix: `cleo session resume ${session.id}` });
    expect((await cli(refused.error.fix)).exitCode).toBe(0);
  });

  test.each(['saga:T001', 'task:T003', 'task:T004'])('because %s and an active epic:T002 overlap: 32', async (scope) => {
    const { call, as } = await openApp({ tasks: world });
    await as('ada').call('session.start', { scope: 'epic:T002', ...auto });
    expect((await call('session.start', { scope, ...auto })).error).toMatchObject({ code: 'E_SCOPE_CONFLICT', exitCode: 32 });
  });

  test('because the agent is in one, where one at a time is the rule: 67', async () => {
    const { call, as, cli } = await openApp({ tasks: world, config: { session: { exclusive: true } } });
    await call('session.start', { scope: 'epic:T002', ...auto });
    const refused = await call('session.start', { scope: 'epic:T009', ...auto });
    expect(refused.error).toMatchObject({ code: 'E_CONCURRENT_SESSION', exitCode: 67 });
    expect(await as('bob').call('session.start', { scope: 'epic:T009', ...auto })).toMatchObject({ success: true });
    expect((await cli(refused.error.fix)).exitCode).toBe(0);
  });

  test('in this order: 33, 38, 67, 30, 32', async () => {
    const { call } = await openApp({ tasks: world, config: { session: { exclusive: true } } });
    await call('session.start', { scope: 'epic:T002', ...auto });
    const exit = async (params: object) => (await call('session.start', { ...params })).error?.exitCode;
    expect(await exit({ scope: 'epic:T404' })).toBe(33);
    expect(await exit({ scope: 'epic:T002' })).toBe(38);
    expect(await exit({ scope: 'epic:T002', ...auto })).toBe(67);
  });

  test('because the focus it names lies elsewhere (34) or is held (35); and then nothing has begun', async () => {
    const { call } = await openApp({ tasks: [...world, 'T011 in T009 active by ada: Held'] });
    expect((await call('session.start', { scope: 'epic:T002', focus: 'T009' })).error.exitCode).toBe(34);
    expect((await call('session.start', { scope: 'epic:T009', focus: 'T011' })).error.exitCode).toBe(35);
    expect(await call('session.list')).toMatchObject({ _meta: { exitCode: 100 }, sessions: [] });
  });
});
