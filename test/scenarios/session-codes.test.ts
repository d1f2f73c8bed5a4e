import { describe, expect, test } from 'vitest';
import { isForPerson } from '../../src/core/errors/catalog.ts';
import { asPerson, openApp, splitShellWords, type TestApp } from '../app.ts';

interface Case {
  why: string;
  /** Sessions, and tasks in addition to those of `work`. */
  world?: string[];
  config?: Record<string, unknown>;
  arrange?: (app: TestApp) => Promise<unknown>;
  run: string;
  exit: number;
  code: string;
  fix: RegExp;
  /** A command that works after the fix; by default the failed command. */
  then?: string;
  ends?: number;
}

const work = ['T001 epic: Parser', 'T002 in T001 high: Lexer', 'T003 in T001: Trees', 'T009 epic: Other', 'T010 in T009: Else'];
const parser = 'session s-parser epic:T001 by ada: Parse';
const other = 'session s-other epic:T009 by bob: Other';
const second = 'session s-other epic:T009 by tester: Other';
const mine = 'session s-mine epic:T001 by tester: Mine';

const errorCases: Case[] = [
  {
    why: 'a scope in use',
    world: [parser],
    run: 'session start --scope epic:T001 --auto-focus',
    exit: 30,
    code: 'E_SESSION_EXISTS',
    fix: /^cleo session resume s-parser$/,
    then: 'focus set T002',
  },
  {
    why: 'an ended session whose scope is now in use',
    world: [parser, 'session s-old epic:T001 ended by tester'],
    run: 'session resume s-old',
    exit: 30,
    code: 'E_SESSION_EXISTS',
    fix: /^cleo session resume s-parser$/,
    then: 'focus set T002',
  },
  {
    why: 'a missing session to show',
    world: [mine],
    run: 'session show s-none',
    exit: 31,
    code: 'E_SESSION_NOT_FOUND',
    fix: /^cleo session list$/,
    then: 'session show s-mine',
  },
  {
    why: 'a missing session to work in',
    world: [mine],
    run: 'add x --session s-none',
    exit: 31,
    code: 'E_SESSION_NOT_FOUND',
    fix: /^cleo session list$/,
    then: 'add x --session s-mine',
  },
  {
    why: 'a scope inside another',
    world: [parser],
    run: 'session start --scope task:T002 --auto-focus',
    exit: 32,
    code: 'E_SCOPE_CONFLICT',
    fix: /^cleo session resume s-parser$/,
    then: 'focus set T002',
  },
  {
    why: 'a scope around another',
    world: ['T020 saga', 'T021 in T020', 'T022 in T021', 'session s-inner epic:T021 by ada'],
    run: 'session start --scope saga:T020 --auto-focus',
    exit: 32,
    code: 'E_SCOPE_CONFLICT',
    fix: /^cleo session resume s-inner$/,
    then: 'focus set T022',
  },
  {
    why: 'a move that puts one session inside another',
    world: ['T020 saga', 'session s-saga saga:T020 by ada', parser, 'session s-all global by tester'],
    run: 'update T001 --parent T020',
    exit: 32,
    code: 'E_SCOPE_CONFLICT',
    fix: /^Ask a person to run: cleo session suspend --session s-parser$/,
  },
  {
    why: 'a missing scope',
    run: 'session start --auto-focus',
    exit: 33,
    code: 'E_SCOPE_INVALID',
    fix: /^cleo session start --auto-focus --scope global$/,
    then: 'session status',
  },
  {
    why: 'an invalid scope',
    run: 'session start --scope epic --auto-focus',
    exit: 33,
    code: 'E_SCOPE_INVALID',
    fix: /--scope global/,
    then: 'session status',
  },
  {
    why: 'a missing root',
    run: 'session start --scope epic:T077 --auto-focus',
    exit: 33,
    code: 'E_SCOPE_INVALID',
    fix: /--scope global/,
    then: 'session status',
  },
  {
    why: 'a root of another type',
    run: 'session start --scope epic:T002 --auto-focus',
    exit: 33,
    code: 'E_SCOPE_INVALID',
    fix: /--scope task:T002/,
    then: 'session status',
  },
  ...['focus set T010', 'complete T010', 'update T010 --priority high', 'add x --parent T009'].map((run) => ({
    why: run,
    world: [mine],
    run,
    exit: 34,
    code: 'E_TASK_NOT_IN_SCOPE',
    fix: /^cleo session end --session s-mine --note 'Scope mismatch'$/,
  })),
  {
    why: 'a task that another agent of the same session holds',
    world: [mine, 'T004 in T001 active by ada@s-mine'],
    run: 'focus set T004',
    exit: 35,
    code: 'E_TASK_CLAIMED',
    fix: /^cleo next$/,
    then: 'focus set T002',
  },
  {
    why: 'a task that the same agent holds in another session',
    world: [mine, 'session s-all global by tester', 'T004 in T001 active by tester@s-all'],
    run: 'complete T004 --session s-mine',
    exit: 35,
    code: 'E_TASK_CLAIMED',
    fix: /^cleo next --session s-mine$/,
    then: 'complete T004 --session s-all',
  },
  {
    why: 'a move of a claimed task out of its session scope',
    world: [parser, 'T004 in T002 active by ada@s-parser', 'session s-all global by tester'],
    run: 'update T002 --parent T009',
    exit: 35,
    code: 'E_TASK_CLAIMED',
    fix: /^cleo next$/,
    then: 'update T002 --parent T001 --priority low',
  },
  {
    why: 'a write without a session where one is required',
    config: { session: { required: true } },
    run: 'add x',
    exit: 36,
    code: 'E_SESSION_REQUIRED',
    fix: /^cleo session start --scope global --auto-focus --name Work$/,
  },
  {
    why: 'several sessions of other agents',
    world: [parser, other],
    config: { session: { required: true } },
    run: 'add x',
    exit: 36,
    code: 'E_SESSION_REQUIRED',
    fix: /^cleo session list --status active$/,
    then: 'add x --session s-other',
  },
  {
    why: 'a suspended session',
    world: ['session s-old epic:T001 suspended by tester'],
    run: 'add x --session s-old',
    exit: 36,
    code: 'E_SESSION_REQUIRED',
    fix: /^cleo session resume s-old$/,
  },
  {
    why: 'no session to end',
    run: 'session end',
    exit: 36,
    code: 'E_SESSION_REQUIRED',
    fix: /^cleo session start /,
  },
  {
    why: 'an end with a focused task if all must be done',
    world: [mine, 'T004 in T001 active by ada@s-mine'],
    config: { session: { closeRequiresDone: true } },
    run: 'session end',
    exit: 37,
    code: 'E_SESSION_CLOSE_BLOCKED',
    fix: /^cleo stop T004 --session s-mine --agent ada$/,
  },
  {
    why: 'a start without a focus',
    run: "session start --scope epic:T001 --name 'It is begun'",
    exit: 38,
    code: 'E_FOCUS_REQUIRED',
    fix: /^cleo session start --scope epic:T001 --name 'It is begun' --auto-focus$/,
    then: 'focus show',
  },
  {
    why: 'no focus to complete',
    world: [mine],
    run: 'complete',
    exit: 38,
    code: 'E_FOCUS_REQUIRED',
    fix: /^cleo focus set T002$/,
  },
  {
    why: 'no focus of the named agent',
    world: [mine],
    run: 'update --notes seen --session s-mine --agent eve',
    exit: 38,
    code: 'E_FOCUS_REQUIRED',
    fix: /^cleo focus set T002 --session s-mine --agent eve$/,
  },
  {
    why: 'an end without the required note',
    world: [mine],
    config: { session: { requireNote: true } },
    run: 'session end',
    exit: 39,
    code: 'E_NOTES_REQUIRED',
    fix: /^cleo session end --note /,
    then: 'session start --scope epic:T001 --auto-focus',
  },
  {
    why: 'the same for one of several sessions',
    world: [parser, second],
    config: { session: { requireNote: true } },
    run: 'session end --session s-other',
    exit: 39,
    code: 'E_NOTES_REQUIRED',
    fix: /^cleo session end --note .* --session s-other$/,
    then: 'session start --scope epic:T009 --auto-focus',
  },
  {
    why: 'an end at a critical context without a handoff',
    world: [mine],
    arrange: (app) => app.cli('cleo context report --used 182000 --max 200000'),
    run: 'session end',
    exit: 65,
    code: 'E_HANDOFF_REQUIRED',
    fix: /^cleo safestop$/,
    then: 'session status',
    ends: 100,
  },
  {
    why: 'the same for one of several sessions',
    world: [parser, second],
    arrange: (app) => app.cli('cleo context report --used 199000 --max 200000 --session s-other'),
    run: 'session end --session s-other',
    exit: 65,
    code: 'E_HANDOFF_REQUIRED',
    fix: /^cleo safestop --session s-other$/,
    then: 'session start --scope epic:T009 --auto-focus',
  },
  {
    why: 'a session whose root was deleted',
    world: ['T011 epic', 'session s-gone epic:T011 suspended by tester'],
    arrange: (app) => app.cli('cleo delete T011'),
    run: 'session resume s-gone',
    exit: 66,
    code: 'E_RESUME_FAILED',
    fix: /^cleo session start --scope global /,
    then: 'focus show',
  },
  {
    why: 'a second session if only one is allowed',
    world: [mine],
    config: { session: { exclusive: true } },
    run: 'session start --scope epic:T009 --auto-focus',
    exit: 67,
    code: 'E_CONCURRENT_SESSION',
    fix: /^cleo session end --session s-mine --note /,
  },
  {
    why: 'a second session by resume',
    world: [mine, 'session s-old epic:T009 suspended by tester'],
    config: { session: { exclusive: true } },
    run: 'session resume s-old',
    exit: 67,
    code: 'E_CONCURRENT_SESSION',
    fix: /^cleo session end --session s-mine --note /,
  },
];

describe('each session error has its code, changes nothing, and its fix works', () => {
  test.each(errorCases)('$exit $code: $why', async ({ world = [], config = {}, arrange, run, exit, code, fix, then = run, ends = 0 }) => {
    const app = await openApp({ tasks: [...work, ...world], config });
    await arrange?.(app);
    const before = await readState(app);
    const refused = await app.cli(splitShellWords(run));
    expect(refused).toMatchObject({
      exitCode: exit,
      envelope: { success: false, error: { code, exitCode: exit, fix: expect.stringMatching(fix) } },
    });
    expect(await readState(app)).toEqual(before);
    const way = refused.envelope.error.fix as string;
    expect([way, (await app.cli(way, isForPerson(way) ? asPerson : undefined)).exitCode]).toEqual([way, 0]);
    expect([then, (await app.cli(splitShellWords(then))).exitCode]).toEqual([then, ends]);
  });

  test('covers every session error', () => {
    expect([...new Set(errorCases.map(({ exit }) => exit))]).toEqual([30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 65, 66, 67]);
  });

  test('reports problems in the order 33, 38, 30, 67, 32', async () => {
    const app = await openApp({
      tasks: [...work, mine, parser.replace('epic:T001', 'task:T010')],
    });
    const exit = async (line: string) => (await app.cli(splitShellWords(line))).exitCode;
    expect(await exit('session start --scope epic:T099')).toBe(33);
    expect(await exit('session start --scope epic:T001')).toBe(38);
    expect(await exit('session start --scope epic:T001 --auto-focus')).toBe(30);
    expect(await exit('session start --scope epic:T009 --auto-focus')).toBe(67);
    expect(await exit('session start --scope epic:T001 --auto-focus --agent eve')).toBe(30);
    expect(await exit('session start --scope epic:T009 --auto-focus --agent eve')).toBe(32);
    expect(await exit('session start --scope global --auto-focus --agent eve')).toBe(0);
  });
});

describe('50 to 54 report the context usage and are not errors', () => {
  test.each([
    [69, 0, 'ok'],
    [70, 50, 'warning'],
    [85, 51, 'caution'],
    [90, 52, 'critical'],
    [95, 53, 'emergency'],
  ])('%i %% of the window: exit %i, %s', async (percent, exit, state) => {
    const { cli } = await openApp({ tasks: [...work, mine] });
    await cli(['context', 'report', '--used', String(percent * 2000), '--max', '200000']);
    const { exitCode, envelope } = await cli(['context', 'check']);
    expect({ exitCode, envelope }).toMatchObject({ exitCode: exit, envelope: { success: true, context: { state, percent } } });
    expect(envelope._meta.exitCode).toBe(exit || undefined);
    expect(await cli(['context'])).toMatchObject({ exitCode: 0, envelope: { context: { state, percent } } });
  });

  test('54: no recent report; the fix is a report', async () => {
    const clock = { now: '2026-01-01T00:00:00.000Z' };
    const { cli } = await openApp({ clock });
    const check = async () => (await cli(['context', 'check'])).exitCode;
    const report = () => cli(['context', 'report', '--used', '10', '--max', '200000']);
    expect(await check()).toBe(54);
    await report();
    expect(await check()).toBe(0);
    clock.now = '2026-01-01T00:05:00.001Z';
    expect(await check()).toBe(54);
    await report();
    expect(await check()).toBe(0);
  });
});

/** Reads tasks, sessions and claims, which a failed command must not change. */
async function readState(app: TestApp): Promise<unknown> {
  const { content } = await app.call('tasks.export');
  return app.store.read(async ({ sessions, claims }) => ({
    content,
    sessions: await sessions.list(undefined, { limit: 100, offset: 0 }),
    claims: await claims.list(),
  }));
}
