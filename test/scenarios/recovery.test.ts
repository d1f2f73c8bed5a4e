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

async function refused(app: TestApp, line: string, exit: number): Promise<Json> {
  const { exitCode, envelope } = await run(app, line);
  expect([line, exitCode]).toEqual([line, exit]);
  return envelope.error;
}

/** Every step of a tree, as it is printed; what each answers. */
async function walk(app: TestApp, steps: { command: string }[]): Promise<Json[]> {
  const answers: Json[] = [];
  for (const { command } of steps) {
    const { exitCode, envelope } = await run(app, command);
    expect([command, exitCode]).toEqual([command, 0]);
    answers.push(envelope);
  }
  return answers;
}

describe('34: status, show, end, start with the scope that fits, then the same again', () => {
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
    const { alternatives } = await refused(app, line, 34);
    const answers = await walk(app, alternatives);
    const { session } = answers[0]!;
    expect(session).toMatchObject({ id: 's-mine', scope: 'epic:T001' });
    if (answers.length === 4) expect(Object.values(answers[1]!.task)).toContain(scope.split(':')[1]);
    expect(answers.at(-1)!.session).toMatchObject({ scope, status: 'active' });
    // The start may have focused the very task already.
    expect([0, 102]).toContain((await run(app, line)).exitCode);
  });

  test('where others work in that scope already, their session is joined', async () => {
    const app = await openApp({ tasks: [...work, mine, 'session s-other epic:T009 by bob: Other'] });
    const { alternatives } = await refused(app, 'focus set T010', 34);
    const start = alternatives.pop();
    await walk(app, alternatives);
    const { fix } = await refused(app, start.command, 30);
    expect(fix).toBe('cleo session resume s-other');
    await walk(app, [{ command: fix }]);
    expect((await run(app, 'focus set T010')).exitCode).toBe(0);
  });
});

describe('35: next, then focus what it suggests', () => {
  test.each([
    ['focus set T002', mine],
    ['complete T002', mine],
    ['focus set T002', 'session s-all global by tester'],
  ])('%s in %s', async (line, session) => {
    const app = await openApp({ tasks: [...work, session, 'session s-ada global by ada'] });
    expect((await run(app, 'focus set T002 --agent ada --session s-ada')).exitCode).toBe(0);
    const error = await refused(app, line, 35);
    expect(error).toMatchObject({ fix: 'cleo next', details: { holder: 'ada (s-ada)' } });
    const [next, focus, claim] = error.alternatives;
    const [suggested] = await walk(app, [next]);
    expect(focus.command).toBe(`cleo focus set ${suggested!.recommendation.taskId}`);
    const [focused] = await walk(app, [focus]);
    expect(focused!.task.status).toBe('active');
    expect((await run(app, 'complete')).exitCode).toBe(0);
    await walk(app, [claim]);
    expect((await run(app, 'complete')).exitCode).toBe(0);
  });

  test('the caller that the command names is the one that gets it', async () => {
    const app = await openApp({ tasks: [...work, mine, 'T005 in T001 active by ada@s-mine'] });
    const { alternatives } = await refused(app, 'focus set T005 --session s-mine --agent eve', 35);
    const [, focus] = alternatives;
    await walk(app, [focus]);
    expect((await run(app, 'focus show --session s-mine --agent eve')).envelope.task.id).toBe('T002');
    expect((await run(app, 'focus show')).exitCode).toBe(100);
  });

  test('with nothing else to do there is no task to suggest', async () => {
    const app = await openApp({ tasks: ['T001 active by ada'] });
    const { fix, alternatives } = await refused(app, 'focus set T001', 35);
    expect((await run(app, fix)).exitCode).toBe(100);
    for (const { command } of alternatives) expect((await run(app, command)).exitCode).toBe(100);
  });
});

describe('38: focus, then the same again', () => {
  test.each([
    'complete',
    'update --priority low',
    "update --notes 'It'\\''s $HOME'",
    'complete --agent eve',
    'complete --session s-mine --agent eve',
  ])('%s', async (line) => {
    const app = await openApp({ tasks: [...work, mine] });
    const { alternatives, fix } = await refused(app, line, 38);
    expect(alternatives).toHaveLength(2);
    expect(fix).toBe(alternatives[0].command);
    const [focused, again] = await walk(app, alternatives);
    expect([focused!.task.id, again!.task.id]).toEqual(['T002', 'T002']);
  });

  test('a start without a focus: with the one that is suggested', async () => {
    const app = await openApp({ tasks: work });
    const { alternatives } = await refused(app, 'session start --scope epic:T009 --name Work', 38);
    const [started] = await walk(app, alternatives);
    expect(started).toMatchObject({ session: { scope: 'epic:T009', name: 'Work' }, focus: { id: 'T010' } });
  });

  test('with nothing to focus, next says so', async () => {
    const app = await openApp({ tasks: ['T001 done'] });
    const { fix, alternatives } = await refused(app, 'complete', 38);
    expect([fix, alternatives]).toEqual(['cleo next', undefined]);
    expect((await run(app, fix)).exitCode).toBe(100);
  });
});

describe('100 where a session was looked for: list, then resume one or start one', () => {
  const look = async (app: TestApp): Promise<Json[]> => {
    const { exitCode, envelope } = await run(app, 'session status');
    expect([exitCode, envelope.success, envelope.session]).toEqual([100, true, {}]);
    return envelope.alternatives;
  };

  test('there is none: it is started around what comes next', async () => {
    const app = await openApp({ tasks: work });
    const [list, start, ...more] = await look(app);
    expect(more).toEqual([]);
    expect((await run(app, list!.command)).envelope.sessions).toEqual([]);
    await walk(app, [start as { command: string }]);
    expect((await run(app, 'session status')).envelope).toMatchObject({ session: { scope: 'epic:T001' }, focus: { id: 'T002' } });
  });

  test('there is not even a task', async () => {
    const app = await openApp();
    const [, start] = await look(app);
    await walk(app, [start as { command: string }]);
    expect((await run(app, 'session status')).envelope).toMatchObject({ session: { scope: 'global' } });
  });

  test('one was put aside, and one is over', async () => {
    const app = await openApp({
      tasks: [...work, 'session s-old epic:T001 suspended by tester', 'session s-over epic:T009 ended by ada'],
    });
    const [list, resume, ...more] = await look(app);
    expect(more).toEqual([]);
    expect((await run(app, list!.command)).envelope.sessions[0]).toMatchObject({ id: 's-old', status: 'suspended' });
    await walk(app, [resume as { command: string }]);
    expect((await run(app, 'session status')).envelope.session).toMatchObject({ id: 's-old', status: 'active' });
  });

  test('several are active, none of them ours', async () => {
    const app = await openApp({ tasks: [...work, 'session s-a epic:T001 by ada', 'session s-b epic:T009 by bob'] });
    const [, ...joins] = await look(app);
    expect(joins.map(({ command }) => command).sort()).toEqual(['cleo session resume s-a', 'cleo session resume s-b']);
    await walk(app, [joins[1] as { command: string }]);
    expect((await run(app, 'session status')).exitCode).toBe(0);
  });
});
