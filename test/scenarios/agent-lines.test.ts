import { describe, expect, test } from 'vitest';
import { type Json, openApp, splitShellWords, type TestApp } from '../app.ts';

const work = [
  'T001 epic: Parser',
  'T002 in T001 high: Write the query parser',
  'T003 in T001: Trees',
  'T004 in T001 done: Grammar',
  'T005 in T001: Errors',
  'T006 in T001 depends T005: Messages',
  'T142: Another query',
  'T1234: A query of its own',
];
const session = 'session session-1 epic:T001 by tester: Work';

const saga = ['T500 saga: Theme', 'T501 in T500: Part', 'T502 in T501: Piece', 'T503 in T501 depends T502: Whole'];

interface Line {
  line: string;
  /** The key of the answer that contains the result. */
  key: string;
  world?: string[];
}

/** Command lines of the agent documentation. */
const lines: Line[] = [
  { line: 'ct find "query"', key: 'tasks.0.id' },
  { line: 'ct find --id 142', key: 'tasks.0.id' },
  { line: 'ct show T1234', key: 'task.id' },
  { line: 'ct add "Title"', key: 'task.id' },
  { line: 'ct add "Title" --parent T002', key: 'task.id' },
  { line: 'ct add "Task" --depends T005', key: 'task.id' },
  { line: 'ct done T005', key: 'completedAt' },
  { line: 'ct complete T1234', key: 'completedAt' },
  { line: 'ct update T002 --status active', key: 'task.status' },
  { line: 'ct update T002 --status blocked', key: 'task.status' },
  { line: 'ct focus set T002', key: 'task.id' },
  { line: 'ct focus set T1234', key: 'task.id' },
  { line: 'cleo start T002', key: 'task.id' },
  { line: 'ct focus show', key: 'task.id', world: [session, 'T007 in T001 active by tester@session-1'] },
  { line: 'ct next', key: 'recommendation.taskId' },
  { line: 'ct session list', key: 'sessions.0.id', world: [session] },
  { line: 'ct session start --scope epic:T001 --auto-focus --name "Work"', key: 'session.id' },
  { line: 'ct session start --scope epic:T001 --focus T003 --name "Work"', key: 'focus.id' },
  { line: 'ct session end --note "Progress"', key: 'session.status', world: [session] },
  { line: 'ct session end --note "Scope mismatch"', key: 'handoff.note', world: [session] },
  { line: 'ct session resume session-1', key: 'session.id', world: ['session session-1 epic:T001 suspended by ada'] },
  { line: 'ct session resume session-1', key: 'session.id', world: ['session session-1 epic:T001 ended by ada'] },
  { line: 'ct session status', key: 'session.id', world: [session] },
  { line: 'ct dash', key: 'summary' },
  { line: 'ct context', key: 'context.state' },
  { line: 'ct archive', key: 'archived.0' },
  { line: 'ct exists T002', key: 'exists' },
  { line: 'cleo exists T1234', key: 'exists' },
  { line: 'ct list --parent T001', key: 'tasks.0.id' },
  { line: 'ct reopen T004', key: 'task.status' },
  { line: 'ct doctor', key: 'findings' },
  { line: 'ct safestop', key: 'session.status', world: [session] },
  { line: 'cleo orchestrator ready --epic T001', key: 'tasks.0.id' },
  { line: 'cleo orchestrator next --epic T001', key: 'recommendation.taskId' },
  { line: 'cleo orchestrator start --epic T001', key: 'waves.0.tasks.0.id' },
  { line: 'cleo orchestrator analyze T001', key: 'criticalPath.0' },
  { line: 'cleo orchestrate ready T500', key: 'tasks.0.id', world: saga },
  { line: 'cleo orchestrate waves T500', key: 'waves.1.tasks.0.id', world: saga },
  { line: 'cleo orchestrate report T006', key: 'report.waiting.0.on.0.id' },
  { line: 'cleo saga create --title "Theme" --acceptance "It holds"', key: 'task.id' },
  { line: 'cleo saga rollup T500', key: 'rollup.percent', world: saga },
  { line: 'cleo saga members T500', key: 'members.0.id', world: saga },
];

const run = (app: TestApp, line: string) => app.cli(splitShellWords(line).slice(1));

const getPath = (envelope: Json, key: string): unknown => key.split('.').reduce<Json | undefined>((value, step) => value?.[step], envelope);

describe('documented command lines run as written and return their key', () => {
  test.each(lines)('$line → $key', async ({ line, key, world = [] }) => {
    const { exitCode, envelope } = await run(await openApp({ tasks: [...work, ...world] }), line);
    expect([exitCode, envelope.success, envelope.error]).toEqual([0, true, undefined]);
    expect(getPath(envelope, key)).toBeDefined();
    expect(envelope).toHaveProperty(envelope._meta.resultsField);
    expect(envelope._meta).toMatchObject({
      command: expect.stringMatching(/^\w+\.\w/),
      timestamp: expect.stringMatching(/Z$/),
      version: '0.0.0-test',
    });
  });
});

describe('documented workflows run step by step', () => {
  test.each([
    [
      'a new session',
      [
        'ct session list',
        'ct session start --scope epic:T001 --auto-focus --name "Name"',
        'ct focus set T003',
        'ct complete T003',
        'ct focus set T005',
        'ct next',
        'ct complete T005',
        'ct archive',
        'ct session end --note "Progress summary"',
      ],
    ],
    [
      'a resumed session',
      [
        'ct session list',
        'ct session resume session-0',
        'ct session status',
        'ct focus show',
        'ct next',
        'ct add "Task" --depends T005',
        'ct complete T005',
        'ct focus set T006',
        'ct complete T006',
        'ct archive',
        'ct session end --note "Progress"',
      ],
    ],
    ['a subagent', ['ct focus set T002', 'ct complete T002']],
  ])('%s', async (_, steps) => {
    const old = 'session session-0 epic:T001 suspended by ada: Before';
    const app = await openApp({ tasks: [...work, ...(steps.includes('ct session resume session-0') ? [old] : [])] });
    for (const step of steps) {
      const { exitCode, envelope } = await run(app, step);
      // Finding nothing is not an error.
      const isLook = /session list|focus show/.test(step);
      expect([step, envelope.error, isLook ? [0, 100].includes(exitCode) : exitCode === 0]).toEqual([step, undefined, true]);
    }
    const { sessions } = (await run(app, 'ct session list')).envelope;
    for (const { status } of sessions) expect(status).toBe('ended');
    expect((await app.store.read((reads) => reads.claims.list())).length).toBe(0);
  });
});

describe('documented commands for status changes work with and without a session', () => {
  test.each([
    ['pending', 'ct focus set T010', 'active'],
    ['pending', 'ct update T010 --status blocked', 'blocked'],
    ['pending', 'ct complete T010', 'done'],
    ['active', 'ct focus set T011', 'pending'],
    ['active', 'ct update T010 --status blocked', 'blocked'],
    ['active', 'ct complete T010', 'done'],
    ['blocked', 'ct update T010 --status pending', 'pending'],
    ['blocked', 'ct focus set T010', 'active'],
    ['done', 'ct reopen T010', 'active'],
  ])('%s: %s → %s', async (from, line, to) => {
    for (const where of [undefined, 'session-1']) {
      const holder = from === 'active' ? ` by tester${where ? `@${where}` : ''}` : '';
      const app = await openApp({
        tasks: ['T001 epic', `T010 in T001 ${from}${holder}`, 'T011 in T001', ...(where ? [session] : [])],
      });
      expect(await run(app, line)).toMatchObject({ exitCode: 0 });
      expect((await app.call('tasks.show', { taskId: 'T010' })).task.status).toBe(to);
    }
  });
});

const calls: [string, Record<string, unknown>, string][] = [
  ['tasks.show', { taskId: 'T002' }, 'task.id'],
  ['tasks.find', { query: 'query' }, 'tasks.0.id'],
  ['tasks.find', { id: '142' }, 'tasks.0.id'],
  ['tasks.list', { parent: 'T001', status: 'pending' }, 'tasks.0.id'],
  ['session.status', {}, 'session.id'],
  ['session.list', {}, 'sessions.0.id'],
  ['orchestrate.ready', { epicId: 'T001' }, 'tasks.0.id'],
  ['orchestrate.next', { epicId: 'T001' }, 'recommendation.taskId'],
  ['validate.report', {}, 'report'],
  ['system.dash', {}, 'summary'],
  ['system.context', {}, 'context.state'],
  ['tasks.add', { title: 'Title', description: 'About it', parent: 'T002', depends: ['T005'] }, 'task.id'],
  ['tasks.update', { taskId: 'T002', title: 'Other', status: 'active', notes: 'Seen' }, 'task.id'],
  ['tasks.complete', { taskId: 'T002' }, 'completedAt'],
  ['tasks.start', { taskId: 'T002' }, 'task.id'],
  ['session.end', { note: 'Progress' }, 'session.id'],
  ['session.resume', { sessionId: 'session-1' }, 'session.id'],
];

describe('documented MCP calls', () => {
  test.each(calls)('%s %j → %s', async (operation, params, key) => {
    const envelope = await (await openApp({ tasks: [...work, session] })).call(operation, params);
    expect([envelope.success, envelope.error]).toEqual([true, undefined]);
    expect(getPath(envelope, key)).toBeDefined();
  });

  test('session.start accepts the documented alias for focus', async () => {
    const { call } = await openApp({ tasks: work });
    expect(await call('session.start', { scope: 'epic:T001', name: 'Work', autoStart: true })).toMatchObject({
      session: { scope: 'epic:T001', name: 'Work', status: 'active' },
      focus: { id: 'T002', status: 'active' },
    });
  });
});
