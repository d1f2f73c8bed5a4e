import {
  array,
  asyncProperty,
  constantFrom,
  dictionary,
  assert as fcAssert,
  integer,
  jsonValue,
  oneof,
  record as shaped,
  string,
} from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import type { Envelope } from '../../../dispatch/envelope.ts';
import { ageOf } from './cell.ts';
import { humanText } from './human.ts';

const catalog = { entries: [], load: () => Promise.reject(new Error('not needed')) };
const meta = { command: 'demo.show', timestamp: '2026-01-01T00:00:00.000Z', version: '1' };
const shown = (result: Record<string, unknown>, more: object = {}, columns = 80, hasColour = false) => {
  const envelope: Envelope = { _meta: { ...meta, resultsField: Object.keys(result)[0]!, ...more }, success: true, ...result };
  return humanText(envelope, { columns, hasColour }, catalog);
};

test('a list is a table with aligned columns, as wide as the screen allows', async () => {
  const tasks = [
    { id: 'T001', title: 'Build the reader', status: 'pending', type: 'epic', priority: 'medium' },
    { id: 'T002', title: '配方解析器 🍳', status: 'active', type: 'task', priority: 'critical', parentId: 'T001' },
    { id: 'T1000', title: 'Test it', status: 'done', type: 'task', priority: 'low', parentId: 'T001' },
  ];
  expect(await shown({ tasks })).toBe(
    [
      'ID      STATUS     PRIORITY  TITLE             PARENT',
      'E-T001  ○ pending  medium    Build the reader',
      'T002    ◐ active   critical  配方解析器 🍳     T001',
      'T1000   ✓ done     low       Test it           T001',
      '',
    ].join('\n'),
  );
  expect(await shown({ tasks: tasks.map((task) => ({ ...task, title: `${task.title} ${'and more '.repeat(9)}` })) }, {}, 60)).toBe(
    [
      'ID         PRIORITY  TITLE                            PARENT',
      'E-T001  ○  medium    Build the reader and more and…',
      'T002    ◐  critical  配方解析器 🍳 and more and mor…  T001',
      'T1000   ✓  low       Test it and more and more and…   T001',
      '',
    ].join('\n'),
  );
});

test('a tree has branches', async () => {
  const leaf = (id: string) => ({ id, title: `Task ${id}`, status: 'pending', type: 'task' });
  const tree = [
    { ...leaf('T001'), type: 'epic', children: [{ ...leaf('T002'), children: [leaf('T003'), leaf('T004')] }, leaf('T005')] },
    leaf('T006'),
  ];
  expect(await shown({ tree })).toBe(
    [
      '○ E-T001  Task T001',
      '├─ ○ T002  Task T002',
      '│  ├─ ○ T003  Task T003',
      '│  └─ ○ T004  Task T004',
      '└─ ○ T005  Task T005',
      '○ T006  Task T006',
      '',
    ].join('\n'),
  );
});

test('one task: who it is, what it is about, what it needs, what was said', async () => {
  const task = {
    id: 'T003',
    type: 'task',
    title: 'Write the parser',
    description: 'Line one\nLine two',
    status: 'blocked',
    priority: 'high',
    parentId: 'T001',
    epicId: 'T001',
    depends: ['T002'],
    blockedBy: 'no grammar',
    acceptance: [
      { kind: 'text', text: 'reads', met: true },
      { kind: 'evidence_bound', gate: 'testsPassed' },
    ],
    relations: [{ taskId: 'T009', type: 'fixes', reason: 'the crash', direction: 'to' }],
    notes: [{ at: '2026-01-02T10:20:30.000Z', by: 'ann', text: 'Hello' }],
    createdAt: '2026-01-01T10:00:00.000Z',
    createdBy: 'ann',
    revision: 3,
  };
  expect(await shown({ task })).toBe(
    [
      '⊘ T003  Write the parser',
      '  blocked · high · task in T001',
      '',
      '  Line one',
      '  Line two',
      '',
      '  depends     T002',
      '  blocked by  no grammar',
      '  acceptance  ☑ reads',
      '              ☐ testsPassed',
      '  relations   → fixes T009: the crash',
      '  notes       2026-01-02 10:20 ann',
      '              Hello',
      '',
      '  created 2026-01-01 10:00 by ann · revision 3',
      '',
    ].join('\n'),
  );
});

test('what a write did, what is missing and what to mind stand in one dim line', async () => {
  const task = { id: 'T001', title: 'A', status: 'pending', type: 'task' };
  const text = await shown(
    { task, unblocked: ['T002'], data: { created: ['T001'] } },
    { warnings: ['mind the gap'], truncated: { shown: 1, total: 9 } },
  );
  expect(text).toBe('○ T001  A\n  pending · task\n\nunblocked  T002\n\ncreated T001 · 1 of 9 shown · warning: mind the gap\n');
  expect(await shown({ task, data: { dryRun: true, count: 2, wouldCreate: 2, wouldUpdate: 0 } })).toContain(
    'dry run, nothing written: count 2, would create 2\n',
  );
});

test.each([
  [100, { tasks: [] }, 'Nothing found.\n'],
  [100, { exists: false }, 'exists  no\n'],
  [101, { project: { root: '/p' } }, 'root  /p\n\nit is there already\n'],
  [102, { done: true }, 'done  yes\n\nnothing to change\n'],
])('exit %i says so', async (exitCode, result, text) => {
  expect(await shown(result, { exitCode })).toBe(text);
});

test('the log says what was called and what came of it', async () => {
  const entry = { timestamp: '2026-01-01T10:00:00.000Z', agent: 'ann', gateway: 'cli', durationMs: 3 };
  const entries = [
    {
      ...entry,
      seq: 2,
      operation: 'tasks.add',
      success: false,
      exitCode: 2,
      errorCode: 'E_INVALID_INPUT',
      params: { title: 'x'.repeat(400) },
    },
    { ...entry, seq: 1, operation: 'tasks.update', success: true, updated: ['T001'] },
  ];
  const lines = (await shown({ entries }, {}, 80)).split('\n');
  expect(lines[0]).toBe('SEQ  TIMESTAMP            AGENT  OPERATION     OUTCOME              PARAMS');
  expect(lines[1]).toMatch(/^ {2}2 {2}2026-01-01 10:00 {2}✗ {2}ann {4}tasks\.add {5}E_INVALID_INPUT \(2\) {2}title/);
  expect(lines).toHaveLength(7);
  expect(lines[4]).toMatch(/^ +x+…$/);
  expect(lines[5]).toBe('  1  2026-01-01 10:00  ✓  ann    tasks.update  updated T001');
});

const now = '2026-01-01T00:00:00.000Z';
const own = { id: 'session-1', name: 'Parser', scope: 'epic:T001', status: 'active', agent: 'ann', startedAt: '2025-12-31T21:30:00.000Z' };

test('sessions in rows, with how long they have been what they are', async () => {
  const sessions = [
    { ...own, name: 'A name that is longer than there is room for it', graded: true },
    { ...own, id: 'session-2', status: 'suspended', agent: 'bob', startedAt: now, scope: 'global' },
    { ...own, id: 'session-3', status: 'ended', endedAt: '2025-12-20T00:00:00.000Z' },
  ];
  expect(await shown({ sessions }, {}, 60)).toBe(
    [
      'ID            SCOPE      AGENT  SINCE   GRADED  NAME',
      'session-1  ◐  epic:T001  ann    2h ago  yes     A name that…',
      'session-2  ‖  global     bob    now             Parser',
      'session-3  ■  epic:T001  ann    1w ago          Parser',
      '',
    ].join('\n'),
  );
});

const handoff = {
  note: 'The grammar is done; errors have no line yet',
  done: [{ id: 'T002', title: 'Write the grammar' }],
  open: [],
  blocked: [{ id: 'T007', title: 'Ask for a logo', blockedBy: 'no answer yet' }],
  decisions: [{ taskId: 'T002', text: 'amounts are always metric, as they are in every one of the recipes that we were sent' }],
  next: Array.from({ length: 12 }, (_, i) => ({ id: `T1${i}`, title: 'Later' })),
};

test('the end of a session: where it stands, what was let go, what is handed over', async () => {
  const session = { ...own, status: 'ended', endedAt: now, phase: 'core' };
  const lines = (await shown({ session, released: ['T003'], handoff, data: { updated: ['T003'] } })).split('\n');
  expect(lines.slice(0, 12)).toEqual([
    '■ session-1  Parser',
    '  ended · epic:T001 · ann · started 2h ago · ended now · phase core',
    '',
    'released  T003',
    '',
    'handoff',
    '  The grammar is done; errors have no line yet',
    '  done     T002  Write the grammar',
    '  blocked  T007  Ask for a logo: no answer yet',
    '  decided  T002  amounts are always metric, as they are in every one of the',
    '                 recipes that we were sent',
    '  next     T10  Later',
  ]);
  expect(lines.slice(-4)).toEqual(['           … 2 more', '', 'updated T003', '']);
});

test('one session: who is in it, what they hold, and the note where the handoff does not have it', async () => {
  const focus = { id: 'T002', title: 'Write the grammar', status: 'active', type: 'task', parentId: 'T001', startedAt: now };
  expect(await shown({ session: own, focus })).toBe(
    '◐ session-1  Parser\n  active · epic:T001 · ann · started 2h ago\n\nfocus  ◐ T002  Write the grammar\n',
  );
  const claims = [{ taskId: 'T002', agent: 'bob', since: '2025-12-31T23:55:00.000Z' }];
  expect(await shown({ session: { ...own, agents: ['ann', 'bob'], claims, note: 'Mind the gap' } })).toBe(
    [
      '◐ session-1  Parser',
      '  active · epic:T001 · ann · started 2h ago',
      '',
      '  agents  ann, bob',
      '  note    Mind the gap',
      '  holds  T002  bob, 5m ago',
      '',
    ].join('\n'),
  );
  expect(await shown({ session: { ...own, agents: ['ann'], note: handoff.note, handoff } })).not.toMatch(/agents|note/);
});

test('a briefing is text for people and models alike: every line says something', async () => {
  const briefing = {
    session: { ...own, graded: true },
    focus: { id: 'T003', title: 'Generate the tables', status: 'active', type: 'task' },
    next: [{ id: 'T004', title: 'Print errors' }],
    handoff: { sessionId: 'session-0', scope: 'epic:T001', endedAt: '2025-12-29T00:00:00.000Z', ...handoff, next: [] },
    blocked: [{ id: 'T007', title: 'Ask for a logo', blockedBy: 'no answer yet' }],
    sessions: [{ id: 'session-9', scope: 'epic:T005', agent: 'bob' }],
  };
  expect(await shown({ briefing, omitted: [{ section: 'done', count: 4, expand: 'cleo session show session-0' }] })).toBe(
    [
      '# Where we are',
      'Session: session-1 Parser',
      'Scope: epic:T001 (active, graded, started 2h ago by ann)',
      'Focus: T003 Generate the tables (active)',
      '',
      '## Next',
      '- T004 Print errors',
      '',
      '## Handoff of session-0 (epic:T001, ended 3d ago)',
      'The grammar is done; errors have no line yet',
      '- done: T002 Write the grammar',
      '- blocked: T007 Ask for a logo: no answer yet',
      '- decided: T002: amounts are always metric, as they are in every one of the',
      '  recipes that we were sent',
      '',
      '## Blocked',
      '- T007 Ask for a logo: no answer yet',
      '',
      '## Other sessions',
      '- session-9: epic:T005, bob',
      '',
      '## Left out',
      '- 4 done: cleo session show session-0',
      '',
    ].join('\n'),
  );
  expect(await shown({ briefing: { next: [], blocked: [], sessions: [] }, omitted: [] })).toBe('# Where we are\nNo session.\n');
});

test.each([
  [{ state: 'stale' }, '· stale  nobody has reported how full the context window is\n'],
  [
    { state: 'critical', percent: 91, used: 182, max: 200, reportedAt: '2025-12-31T23:58:00.000Z' },
    '✗ critical  91% of the context window: 182 of 200 tokens, reported 2m ago\n',
  ],
])('the context window in one line: %j', async (context, text) => {
  expect(await shown({ context })).toBe(text);
});

test('the project on one screen', async () => {
  const summary = {
    tasks: 7,
    archived: 1,
    byStatus: { pending: 3, active: 1 },
    byType: { epic: 2, task: 5 },
    ready: 2,
    sessions: [
      { id: 'session-1', name: 'Parser', scope: 'epic:T001', agent: 'ann', since: now, claims: [{ taskId: 'T003', agent: 'ann' }] },
      { id: 'session-2', scope: 'global', agent: 'bob', since: '2025-12-31T00:00:00.000Z' },
    ],
    active: [{ id: 'T003', title: 'Generate the tables', holder: 'ann', session: 'session-1', since: now }],
    blocked: [],
    doneToday: [],
    next: { taskId: 'T004', title: 'Print errors' },
    lastActivity: { at: now, operation: 'tasks.start', agent: 'ann' },
  };
  expect(await shown({ summary })).toBe(
    [
      '7 tasks (2 epic, 5 task), 1 archived, 2 ready',
      '○ pending 3   ◐ active 1',
      'next  T004  Print errors',
      '',
      'sessions',
      '  ID         SCOPE      AGENT  SINCE   HOLDS  NAME',
      '  session-1  epic:T001  ann    now     T003   Parser',
      '  session-2  global     bob    1d ago',
      '',
      'active',
      '  ID    TITLE                HOLDER  SINCE',
      '  T003  Generate the tables  ann     now',
      '',
      'last activity: tasks.start by ann, now',
      '',
    ].join('\n'),
  );
});

test('a task that is held says by whom and for how long', async () => {
  const task = { id: 'T003', title: 'Parse', status: 'active', type: 'task' };
  const claim = { agent: 'ann', session: 'session-1', since: '2025-12-31T23:00:00.000Z', until: '2026-01-01T03:00:00.000Z' };
  expect(await shown({ task, claim })).toContain('claim\n  ann in session-1, taken 1h ago, lapses in 3h\n');
  const late = { ...claim, until: '2025-12-31T23:30:00.000Z' };
  expect(await shown({ task, claim: late })).toContain('claim\n  ann in session-1, taken 1h ago, lapsed 30m ago\n');
});

test.each([
  ['2026-01-01T00:00:00.000Z', 'now'],
  ['2025-12-31T23:59:01.000Z', 'now'],
  ['2025-12-31T23:59:00.000Z', '1m ago'],
  ['2025-12-31T23:00:01.000Z', '59m ago'],
  ['2025-12-31T23:00:00.000Z', '1h ago'],
  ['2025-12-31T00:00:01.000Z', '23h ago'],
  ['2025-12-25T00:00:01.000Z', '6d ago'],
  ['2025-12-25T00:00:00.000Z', '1w ago'],
  ['2020-01-01T00:00:00.000Z', '313w ago'],
  ['2026-01-01T00:00:30.000Z', 'now'],
  ['2026-01-01T00:01:30.000Z', 'in 2m'],
  ['2026-01-01T03:59:59.000Z', 'in 4h'],
  ['2026-01-02T00:00:00.000Z', 'in 1d'],
  ['never', 'never'],
])('seen at midnight, %s is %s', (at, age) => {
  expect(ageOf(at, now)).toBe(age);
});

test('an answer that nobody thought of is still readable', async () => {
  expect(
    await shown({
      summary: {
        total: 3,
        byStatus: { pending: 2, done: 1 },
        recent: [{ taskId: 'T001', title: 'One', when: '2026-01-01T00:00:00.000Z' }],
        empty: [],
      },
    }),
  ).toBe(
    [
      'total      3',
      'by status',
      '  pending  2',
      '  done     1',
      'recent',
      '  TASK  TITLE  WHEN',
      '  T001  One    2026-01-01 00:00',
      'empty      none',
      '',
    ].join('\n'),
  );
});

test('a refusal leads out', async () => {
  const error = {
    code: 'E_NOT_FOUND',
    exitCode: 4,
    message: 'There is no task T099',
    fix: 'cleo find --id 9',
    alternatives: [
      { action: 'The fix itself, said once', command: 'cleo find --id 9' },
      { action: 'Show T009', command: 'cleo show T009' },
    ],
  };
  const text = await humanText({ _meta: meta, success: false, error }, { columns: 80, hasColour: false }, catalog);
  expect(text).toBe('E_NOT_FOUND (exit 4)\n  There is no task T099\nfix  cleo find --id 9\nor   cleo show T009  Show T009\n');
  expect(await humanText({ _meta: meta, success: false, error }, { columns: 80, hasColour: true }, catalog)).toContain(
    '\u001b[31mE_NOT_FOUND\u001b[39m',
  );
});

test('what a terminal would obey is shown instead', async () => {
  const hostile = '\u001b]0;owned\u0007\u001b[2Jtitle\u009b31m\u202eevil\u0000\r\nsecond\ttab\u2028';
  for (const result of [
    {
      task: { id: 'T001', title: hostile, description: hostile, [hostile]: hostile, notes: [{ at: hostile, by: hostile, text: hostile }] },
    },
    { tasks: [{ id: hostile, title: hostile, status: hostile, labels: [hostile] }] },
    { tree: [{ id: hostile, title: hostile, children: [{ id: 'T1', title: hostile, more: hostile }] }] },
    { session: { ...hostileSession(hostile), handoff: hostileHandoff(hostile) }, focus: { id: hostile, title: hostile } },
    { sessions: [hostileSession(hostile)] },
    { briefing: { session: hostileSession(hostile), handoff: hostileHandoff(hostile), next: [{ id: hostile, title: hostile }] } },
    { value: hostile, list: [hostile], deep: { [hostile]: [{ [hostile]: hostile }] }, data: { created: [hostile] } },
  ]) {
    const text = await shown(result, { warnings: [hostile] });
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/);
    expect(text).toContain('owned');
  }
  const error = { code: hostile, exitCode: 4, message: hostile, fix: hostile, alternatives: [{ action: hostile, command: hostile }] };
  const text = await humanText({ _meta: meta, success: false, error }, { columns: 80, hasColour: false }, catalog);
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/);
});

const hostileSession = (hostile: string) => ({
  ...{ id: hostile, name: hostile, scope: hostile, status: hostile, agent: hostile, startedAt: hostile, endedAt: hostile, phase: hostile },
  claims: [{ taskId: hostile, agent: hostile, since: hostile }],
});
const hostileHandoff = (hostile: string) => ({
  note: hostile,
  done: [{ id: hostile, title: hostile }],
  blocked: [{ id: hostile, title: hostile, blockedBy: hostile }],
  decisions: [{ taskId: hostile, text: hostile }],
});

test('no line is wider than the screen, whatever the answer; without colour there is no escape', async () => {
  const text = oneof(
    string({ unit: 'grapheme', maxLength: 60 }),
    constantFrom('配方解析器を書く', '👩‍🍳🍳', 'a very long title that goes on and on and on', 'e\u0301'),
  );
  const task = shaped(
    {
      id: text,
      title: text,
      status: constantFrom('pending', 'done', 'odd'),
      type: text,
      priority: constantFrom('high', 'low'),
      labels: array(text),
      notes: array(shaped({ at: text, by: text, text })),
      depends: array(text),
    },
    { requiredKeys: [] },
  );
  const items = array(shaped({ id: text, title: text, text, blockedBy: text, sessionId: text, scope: text }, { requiredKeys: [] }), {
    maxLength: 3,
  });
  const handoff = shaped({ note: text, done: items, open: items, blocked: items, decisions: items, next: items }, { requiredKeys: [] });
  const session = shaped(
    {
      ...{ id: text, name: text, scope: text, status: constantFrom('active', 'ended', 'odd'), agent: text, startedAt: text, endedAt: text },
      ...{ agents: array(text), claims: array(shaped({ taskId: text, agent: text, since: text })), note: text, handoff },
    },
    { requiredKeys: ['id', 'scope', 'startedAt'] },
  );
  const briefing = shaped({ session, focus: task, next: items, handoff, blocked: items, sessions: items }, { requiredKeys: [] });
  const value = oneof(
    { weight: 2, arbitrary: oneof(session, array(session, { minLength: 1, maxLength: 5 }), briefing, handoff) },
    { weight: 3, arbitrary: task },
    { weight: 3, arbitrary: array(task, { minLength: 1, maxLength: 5 }) },
    jsonValue(),
    array(jsonValue()),
    dictionary(text, jsonValue()),
  );
  await fcAssert(
    asyncProperty(
      dictionary(constantFrom('task', 'tasks', 'tree', 'summary', 'session', 'sessions', 'handoff', 'briefing', 'context', 'x'), value, {
        minKeys: 1,
      }),
      integer({ min: 40, max: 130 }),
      async (result, columns) => {
        const plain = await shown(result, {}, columns);
        expect(plain).not.toContain('\u001b');
        for (const line of plain.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        // Colour changes nothing but the colour.
        expect((await shown(result, {}, columns, true)).replace(/\u001b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(plain.replace(/ +$/gm, ''));
      },
    ),
    { numRuns: 200 },
  );
});
