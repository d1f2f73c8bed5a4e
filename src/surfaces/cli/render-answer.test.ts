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
import { adminView } from '#admin/view.ts';
import { orchestrationView } from '#orchestration/view.ts';
import { sessionView } from '#sessions/view.ts';
import { taskView } from '#tasks/view.ts';
import { renderErrorWith, renderWith } from '../../../test/render.ts';

const views = [taskView, sessionView, adminView, orchestrationView];
const render = renderWith();
const renderWithAll = renderWith({ forms: Object.assign({}, ...views.map(({ forms }) => forms)), titledKeys: ['pack', 'omitted'] });
const renderError = renderErrorWith();

test('draws a list as a table that fits the screen', async () => {
  const tasks = [
    { id: 'T001', title: 'Build the reader', status: 'pending', type: 'epic', priority: 'medium' },
    { id: 'T002', title: '配方解析器 🍳', status: 'active', type: 'task', priority: 'critical', parentId: 'T001' },
    { id: 'T1000', title: 'Test it', status: 'done', type: 'task', priority: 'low', parentId: 'T001' },
  ];
  expect(await render({ tasks })).toBe(
    [
      'ID      STATUS     PRIORITY  TITLE             PARENT',
      'E-T001  ○ pending  medium    Build the reader',
      'T002    ◐ active   critical  配方解析器 🍳     T001',
      'T1000   ✓ done     low       Test it           T001',
      '',
    ].join('\n'),
  );
  expect(await render({ tasks: tasks.map((task) => ({ ...task, title: `${task.title} ${'and more '.repeat(9)}` })) }, {}, 60)).toBe(
    [
      'ID         PRIORITY  TITLE                            PARENT',
      'E-T001  ○  medium    Build the reader and more and…',
      'T002    ◐  critical  配方解析器 🍳 and more and mor…  T001',
      'T1000   ✓  low       Test it and more and more and…   T001',
      '',
    ].join('\n'),
  );
});

test('draws a task with all its fields', async () => {
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
  expect(await render({ task })).toBe(
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

test('puts changes, truncation and warnings into the footer', async () => {
  const task = { id: 'T001', title: 'A', status: 'pending', type: 'task' };
  const text = await render(
    { task, unblocked: ['T002'], data: { created: ['T001'] } },
    { warnings: ['mind the gap'], truncated: { shown: 1, total: 9 } },
  );
  expect(text).toBe('○ T001  A\n  pending · task\n\nunblocked  T002\n\ncreated T001 · 1 of 9 shown · warning: mind the gap\n');
  expect(await render({ task, data: { dryRun: true, count: 2, wouldCreate: 2, wouldUpdate: 0 } })).toContain(
    'dry run, nothing written: count 2, would create 2\n',
  );
});

test('draws reasons with their points; those without points have a mark', async () => {
  const reasons = [
    { term: 'priority medium', points: 200 },
    { term: 'a.ts is claimed', points: -1000 },
    { term: 'taken over from ann', points: 0 },
  ];
  expect(await render({ recommendation: { taskId: 'T003', title: 'Parse', score: -800, reasons } })).toContain(
    'reasons  +200 priority medium\n           -1000 a.ts is claimed\n           · taken over from ann\n',
  );
});

test('draws the claim of a task with its agent and age', async () => {
  const task = { id: 'T003', title: 'Parse', status: 'active', type: 'task' };
  const claim = { agent: 'ann', session: 'session-1', since: '2025-12-31T23:00:00.000Z' };
  const until = '2026-01-01T03:00:00.000Z';
  expect(await render({ task, claim: { ...claim, until } })).toBe(
    '◐ T003  Parse\n  active · task\n\nclaim  ann in session-1, taken 1h ago, lapses in 3h\n',
  );
  expect(await render({ task: { ...task, claim: { ...claim, until: '2025-12-31T23:30:00.000Z' } } })).toContain(
    '  claim  ann in session-1, taken 1h ago, lapsed 30m ago\n',
  );
  expect(await render({ task, claim })).toContain('claim  ann in session-1, taken 1h ago\n');
  expect(await render({ task, claim: { ...claim, until, state: 'away', lastSeen: '2025-12-31T23:58:00.000Z' } })).toContain(
    'claim  ann in session-1, taken 1h ago, away, last seen 2m ago\n',
  );
});

test('reports an empty list next to other values', async () => {
  expect(await render({ suggestions: [], runs: 3 }, { exitCode: 100 })).toBe('Nothing found.\n\nruns  3\n');
});

test.each([
  [100, { tasks: [] }, 'Nothing found.\n'],
  [100, { exists: false }, 'exists  no\n'],
  [101, { project: { root: '/p' } }, 'root  /p\n\nalready exists\n'],
  [102, { done: true }, 'done  yes\n\nnothing to change\n'],
])('explains exit code %i', async (exitCode, result, text) => {
  expect(await render(result, { exitCode })).toBe(text);
});

test('draws an unknown answer by its shape', async () => {
  expect(
    await render({
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

test('draws an error with its fix and alternatives', async () => {
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
  const text = await renderError(error);
  expect(text).toBe('E_NOT_FOUND (exit 4)\n  There is no task T099\nfix  cleo find --id 9\nor   cleo show T009  Show T009\n');
  expect(await renderError(error, 80, true)).toContain('\u001b[31mE_NOT_FOUND\u001b[39m');
});

test('lists the failed findings of an error', async () => {
  const findings = [
    { rule: 'BASE-001', result: 'pass', message: 'T002-x' },
    { rule: 'BASE-003', result: 'fail', message: 'is active, not done' },
    { rule: 'BASE-007', result: 'warn', message: 'T002-x is not linked to T002' },
  ];
  const error = {
    code: 'E_VALIDATION_PROTOCOL',
    exitCode: 6,
    message: 'protocol of T002 is not kept',
    fix: 'cleo complete T002',
    details: { findings },
  };
  expect(await renderError(error, 60)).toBe(`E_VALIDATION_PROTOCOL (exit 6)
  protocol of T002 is not kept
  ✗ BASE-003  is active, not done
  ! BASE-007  T002-x is not linked to T002
fix  cleo complete T002
`);
  const many = { ...error, details: { findings: Array.from({ length: 25 }, (_, i) => ({ code: `C${i}`, message: 'x' })) } };
  expect(await renderError(many, 60)).toContain('    and 5 more\n');
});

test('escapes control characters', async () => {
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
    const text = await renderWithAll(result, { warnings: [hostile] });
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/);
    expect(text).toContain('owned');
  }
  const error = { code: hostile, exitCode: 4, message: hostile, fix: hostile, alternatives: [{ action: hostile, command: hostile }] };
  const text = await renderError(error);
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

test('fits any answer to the screen, and prints no escapes without colour', async () => {
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
      dictionary(
        constantFrom('task', 'tasks', 'tree', 'summary', 'session', 'sessions', 'handoff', 'briefing', 'context', 'pack', 'x'),
        value,
        {
          minKeys: 1,
        },
      ),
      integer({ min: 40, max: 130 }),
      async (result, columns) => {
        const plain = await renderWithAll(result, {}, columns);
        expect(plain).not.toContain('\u001b');
        for (const line of plain.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        // Without its escapes, the coloured text is the plain one.
        expect((await renderWithAll(result, {}, columns, true)).replace(/\u001b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(
          plain.replace(/ +$/gm, ''),
        );
      },
    ),
    { numRuns: 200 },
  );
});
