import { describe, expect, test } from 'vitest';
import { type Json, openApp, splitShellWords, type TestApp } from '../app.ts';

const work = [
  'T001 epic: Parser',
  'T002 in T001 high: Lexer',
  'T003 in T001: Trees',
  'T004 in T001: Errors',
  'T009 epic: Other',
  'T010 in T009: Else',
  'T011 in T009: Third',
  'T020 low: Alone',
  'T021 in T020: Below it',
];
const mine = 'session s-mine epic:T001 by tester: Mine';

const run = (app: TestApp, line: string) => app.cli(line.startsWith('cleo ') ? line : splitShellWords(line));

async function expectError(app: TestApp, line: string, exit: number): Promise<Json> {
  const { exitCode, envelope } = await run(app, line);
  expect([line, exitCode]).toEqual([line, exit]);
  return envelope.error;
}

/** Runs every step of a recovery tree as printed; returns the answers. */
async function runSteps(app: TestApp, steps: { command: string }[]): Promise<Json[]> {
  const answers: Json[] = [];
  for (const { command } of steps) {
    const { exitCode, envelope } = await run(app, command);
    expect([command, exitCode]).toEqual([command, 0]);
    answers.push(envelope);
  }
  return answers;
}

describe('34: status, show, end, start with a matching scope, then the command again', () => {
  test.each([
    ['focus set T010', 'epic:T009'],
    ['focus set T011', 'epic:T009'],
    ['complete T011', 'epic:T009'],
    ['update T010 --priority high', 'epic:T009'],
    ['delete T010', 'epic:T009'],
    ['focus set T020', 'task:T020'],
    ['focus set T021', 'task:T021'],
    ["add 'One more' --parent T009", 'epic:T009'],
    ["add 'One more' --type epic", 'global'],
  ])('%s', async (line, scope) => {
    const app = await openApp({ tasks: [...work, mine] });
    const { alternatives } = await expectError(app, line, 34);
    const answers = await runSteps(app, alternatives);
    const { session } = answers[0]!;
    expect(session).toMatchObject({ id: 's-mine', scope: 'epic:T001' });
    if (answers.length === 4) expect(Object.values(answers[1]!.task)).toContain(scope.split(':')[1]);
    expect(answers.at(-1)!.session).toMatchObject({ scope, status: 'active' });
    // The start may have focused this task already.
    expect([0, 102]).toContain((await run(app, line)).exitCode);
  });

  test('joins the session of others that has this scope', async () => {
    const app = await openApp({ tasks: [...work, mine, 'session s-other epic:T009 by bob: Other'] });
    const { alternatives } = await expectError(app, 'focus set T010', 34);
    const start = alternatives.pop();
    await runSteps(app, alternatives);
    const { fix } = await expectError(app, start.command, 30);
    expect(fix).toBe('cleo session resume s-other');
    await runSteps(app, [{ command: fix }]);
    expect((await run(app, 'focus set T010')).exitCode).toBe(0);
  });
});

describe('35: next, then focus the suggested task', () => {
  test.each([
    ['focus set T002', mine],
    ['complete T002', mine],
    ['focus set T002', 'session s-all global by tester'],
  ])('%s in %s', async (line, session) => {
    const app = await openApp({ tasks: [...work, session, 'session s-ada global by ada'] });
    expect((await run(app, 'focus set T002 --agent ada --session s-ada')).exitCode).toBe(0);
    const error = await expectError(app, line, 35);
    expect(error).toMatchObject({ fix: 'cleo next', details: { holder: 'ada (s-ada)' } });
    const [next, focus, claim] = error.alternatives;
    const [suggested] = await runSteps(app, [next]);
    expect(focus.command).toBe(`cleo focus set ${suggested!.recommendation.taskId}`);
    const [focused] = await runSteps(app, [focus]);
    expect(focused!.task.status).toBe('active');
    expect((await run(app, 'complete')).exitCode).toBe(0);
    await runSteps(app, [claim]);
    expect((await run(app, 'complete')).exitCode).toBe(0);
  });

  test('the agent named in the command gets the task', async () => {
    const app = await openApp({ tasks: [...work, mine, 'T005 in T001 active by ada@s-mine'] });
    const { alternatives } = await expectError(app, 'focus set T005 --session s-mine --agent eve', 35);
    const [, focus] = alternatives;
    await runSteps(app, [focus]);
    expect((await run(app, 'focus show --session s-mine --agent eve')).envelope.task.id).toBe('T002');
    expect((await run(app, 'focus show')).exitCode).toBe(100);
  });

  test('suggests no task if there is none', async () => {
    const app = await openApp({ tasks: ['T001 active by ada'] });
    const { fix, alternatives } = await expectError(app, 'focus set T001', 35);
    expect([fix, (await run(app, fix)).exitCode]).toEqual(['cleo show T001', 0]);
    for (const { command } of alternatives) expect((await run(app, command)).exitCode).toBe(100);
  });
});

describe('38: focus, then the command again', () => {
  test.each([
    'complete',
    'update --priority low',
    "update --notes 'It'\\''s $HOME'",
    'complete --agent eve',
    'complete --session s-mine --agent eve',
  ])('%s', async (line) => {
    const app = await openApp({ tasks: [...work, mine] });
    const { alternatives, fix } = await expectError(app, line, 38);
    expect(alternatives).toHaveLength(2);
    expect(fix).toBe(alternatives[0].command);
    const [focused, again] = await runSteps(app, alternatives);
    expect([focused!.task.id, again!.task.id]).toEqual(['T002', 'T002']);
  });

  test('a start without a focus uses the suggested task', async () => {
    const app = await openApp({ tasks: work });
    const { alternatives } = await expectError(app, 'session start --scope epic:T009 --name Work', 38);
    const [started] = await runSteps(app, alternatives);
    expect(started).toMatchObject({ session: { scope: 'epic:T009', name: 'Work' }, focus: { id: 'T010' } });
  });

  test('the dashboard shows that there is no task to focus', async () => {
    const app = await openApp({ tasks: ['T001 done'] });
    const { fix, alternatives } = await expectError(app, 'complete', 38);
    expect([fix, alternatives]).toEqual(['cleo dash', undefined]);
    expect((await run(app, fix)).exitCode).toBe(0);
  });
});

describe('100 without a session: list, then resume or start one', () => {
  const look = async (app: TestApp): Promise<Json[]> => {
    const { exitCode, envelope } = await run(app, 'session status');
    expect([exitCode, envelope.success, envelope.session]).toEqual([100, true, {}]);
    return envelope.alternatives;
  };

  test('starts a session for the next task if there is none', async () => {
    const app = await openApp({ tasks: work });
    const [list, start, ...more] = await look(app);
    expect(more).toEqual([]);
    expect((await run(app, list!.command)).envelope.sessions).toEqual([]);
    await runSteps(app, [start as { command: string }]);
    expect((await run(app, 'session status')).envelope).toMatchObject({ session: { scope: 'epic:T001' }, focus: { id: 'T002' } });
  });

  test('without any task', async () => {
    const app = await openApp();
    const [, start] = await look(app);
    await runSteps(app, [start as { command: string }]);
    expect((await run(app, 'session status')).envelope).toMatchObject({ session: { scope: 'global' } });
  });

  test('with a suspended and an ended session', async () => {
    const app = await openApp({
      tasks: [...work, 'session s-old epic:T001 suspended by tester', 'session s-over epic:T009 ended by ada'],
    });
    const [list, resume, ...more] = await look(app);
    expect(more).toEqual([]);
    expect((await run(app, list!.command)).envelope.sessions[0]).toMatchObject({ id: 's-old', status: 'suspended' });
    await runSteps(app, [resume as { command: string }]);
    expect((await run(app, 'session status')).envelope.session).toMatchObject({ id: 's-old', status: 'active' });
  });

  test('with several active sessions of other agents', async () => {
    const app = await openApp({ tasks: [...work, 'session s-a epic:T001 by ada', 'session s-b epic:T009 by bob'] });
    const [, ...joins] = await look(app);
    expect(joins.map(({ command }) => command).sort()).toEqual(['cleo session resume s-a', 'cleo session resume s-b']);
    await runSteps(app, [joins[1] as { command: string }]);
    expect((await run(app, 'session status')).exitCode).toBe(0);
  });
});
