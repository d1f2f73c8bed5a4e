import { beforeAll, describe, expect, test } from 'vitest';
import { measureWidth, prepareWidths } from '#core/terminal/index.ts';
import type { Card, Column } from '#tasks/model/board.ts';
import { drawFrame } from './frame.ts';
import { createState, type WatchEntry, type WatchState } from './state.ts';
import { truncatePainted } from './window.ts';

beforeAll(() => prepareWidths('\u6f22'));

const now = '2026-01-01T12:00:00.000Z';
const card = (id: string, more: Partial<Card> = {}): Card => ({
  id,
  title: `Task ${id}`,
  status: 'pending',
  type: 'task',
  priority: 'medium',
  ...more,
});
const column = (status: Column['status'], cards: Card[], count = cards.length): Column => ({ status, count, cards });
const columns = [
  column('pending', [
    card('T001', { type: 'epic', title: 'Parser' }),
    card('T003', { priority: 'high', epicId: 'T001', title: 'Test it' }),
  ]),
  column('active', [
    card('T002', { status: 'active', epicId: 'T001', claim: { agent: 'ada', since: '2026-01-01T11:55:00.000Z', until: now } }),
  ]),
  column('blocked', [card('T004', { status: 'blocked', blockedBy: 'no answer yet' })]),
  column('done', [card('T005', { status: 'done', completedAt: '2026-01-01T10:00:00.000Z' })]),
];
const entries = [
  {
    seq: 3,
    timestamp: '2026-01-01T11:59:01.000Z',
    operation: 'tasks.add',
    agent: 'ada',
    success: true,
    created: ['T1', 'T2', 'T3', 'T4', 'T5'],
  },
  { seq: 2, timestamp: '2025-12-31T11:59:01.000Z', operation: 'tasks.add', agent: 'bob', success: false, errorCode: 'E_VALIDATION' },
] as WatchEntry[];
const world: WatchState = {
  ...createState({}),
  columns,
  cards: columns.flatMap(({ cards }) => cards),
  total: 5,
  log: entries,
  now,
  isEmpty: false,
};
const at = (columns: number, rows: number, more: Partial<WatchState> = {}): string[] =>
  drawFrame({ ...world, ...more }, { columns, rows }, false);

test('draws the columns and cards of the board and marks the selected one', () => {
  expect(at(80, 12, { column: 1 })).toEqual([
    '[1 board] 2 list  3 task  4 log  5 work ',
    ' ○ pending 2         ◐ active 1          ⊘ blocked 1         ✓ done 1',
    ' E-T001             ▌T002 ada 5m E-T001  T004 no answer yet  T005 2h ago',
    '  Parser            ▌ Task T002           Task T004           Task T005',
    ' T003 high E-T001',
    '  Test it',
    '',
    '',
    '',
    '',
    '',
    '? help  q quit  ⏎ open  / filter  e epic  ←↓↑→ move                          1/1',
  ]);
});

test('draws the selected column and its neighbour on a narrow screen', () => {
  expect(at(40, 6, { column: 2 }).slice(1, 3)).toEqual(['‹◐ active 1          ⊘ blocked 1 ›', ' T002 ada 5m E-T001 ▌T004 no answer yet']);
});

test('uses two lines for a title if there is room', () => {
  const long = [
    column('pending', [card('T001', { title: 'Write the parser of the plan' })]),
    ...columns.slice(1).map((one) => ({ ...one, cards: [], count: 0 })),
  ];
  expect(at(80, 12, { columns: long }).slice(2, 6)).toEqual(['▌T001', '▌ Write the parser', '▌ of the plan', '']);
  expect(at(80, 5, { columns: long })[3]).toBe('▌ Write the parser…');
});

test('scrolls a long column to the selected card and counts the hidden cards', () => {
  const cards = Array.from({ length: 50 }, (_, i) => card(`T${100 + i}`));
  const long = [column('pending', cards, 70), ...columns.slice(1)];
  expect(at(80, 9, { columns: long, selected: [20, 0, 0, 0] }).map((line) => line.slice(0, 19).trimEnd())).toEqual([
    '[1 board] 2 list  3',
    ' ○ pending 70',
    ' T119',
    '  Task T119',
    '▌T120',
    '▌ Task T120',
    ' ↑19 ↓49',
    '',
    '? help  q quit  ⏎ o',
  ]);
});

test('names the epic in the header and not on each card', () => {
  const lines = at(80, 8, { epic: 'T001', root: { id: 'T001', title: 'Parser' } });
  expect(lines[0]).toBe('[1 board] 2 list  3 task  4 log  5 work                           in T001 Parser');
  expect(lines.slice(1).join('\n')).not.toMatch(/(?:5m|high) E-T001/);
});

test('draws the list with one line per task', () => {
  expect(at(60, 8, { view: 'list', row: 2 }).slice(1, 6)).toEqual([
    ' ○ E-T001  Parser                                           ',
    ' ○ T003    Test it                               high E-T001',
    '▌◐ T002    Task T002                           ada 5m E-T001',
    ' ⊘ T004    Task T004                           no answer yet',
    ' ✓ T005    Task T005                                  2h ago',
  ]);
});

test('draws the log with agents and outcomes', () => {
  expect(at(70, 4, { view: 'log' }).slice(1, 3)).toEqual([
    '▌11:59:01    ✓ ada tasks.add created T1 T2 T3 and 2 more',
    ' 12-31 11:59 ✗ bob tasks.add E_VALIDATION',
  ]);
});

test('draws a task like show, from the scroll position', () => {
  const task = {
    id: 'T003',
    title: 'Test it',
    status: 'pending',
    type: 'task',
    priority: 'high',
    description: 'With all its branches',
    revision: 1,
  };
  const lines = at(60, 6, { view: 'task', task });
  expect(lines[0]).toBe(' 1 board  2 list [3 task] 4 log  5 work                 T003');
  expect(lines[1]).toBe('○ T003  Test it');
  expect(at(60, 6, { view: 'task', task, scroll: 3 })[1]).toBe('  With all its branches');
});

test.each([
  [
    'nothing at all',
    { columns: columns.map((one) => ({ ...one, cards: [], count: 0 })), cards: [] },
    'no task yet: cleo add "Write the parser"',
  ],
  ['nothing that matches', { cards: [], filter: 'x' }, 'nothing matches x'],
  ['nothing in an epic', { cards: [], epic: 'T009' }, 'nothing is inside T009'],
  ['nothing listed', { cards: [], listParams: {}, view: 'list' }, 'no task is listed'],
  ['no entry', { log: [], view: 'log' }, 'nothing was written yet'],
] as [string, Partial<WatchState>, string][])('%s is said', (_, more, text) => {
  expect(at(60, 6, more)[2]).toBe(`  ${text}`);
});

test('draws the filter, the problem or the keys in the footer', () => {
  const last = (more: Partial<WatchState>): string | undefined => at(60, 6, more).at(-1);
  expect(last({ isTyping: true, filter: 'pars' })).toBe('/pars█');
  expect(last({ filter: 'pars' })).toMatch(/^\/pars {2}esc all {2}\? help/);
  expect(last({ problem: { code: 'E_STORE_DAMAGED', message: 'the database is missing', fix: 'cleo backup restore' } })).toBe(
    'E_STORE_DAMAGED the database is missing (cleo backup restor…',
  );
  expect(at(60, 14, { isHelp: true }).join('\n')).toMatch(/move\n[\s\S]*quit[\s\S]*any key goes back/);
});

describe('any frame', () => {
  const evil = 'a\u001b[31mred\u001b]0;title\u0007\u009b2J\u202eback\tand 漢字漢字漢字漢字 👩‍👩‍👧 e\u0301\u0301'.repeat(3);
  const hostile: Partial<WatchState> = {
    columns: columns.map((one) => ({
      ...one,
      cards: one.cards.map((each) => ({
        ...each,
        title: evil,
        ...(each.claim ? { claim: { ...each.claim, agent: evil } } : { blockedBy: evil }),
      })),
    })),
    cards: world.cards.map((each) => ({ ...each, title: evil })),
    log: [
      { ...entries[0]!, agent: evil, operation: evil, created: [evil] },
      { ...entries[1]!, errorCode: evil },
    ],
    task: { id: 'T001', title: evil, status: 'pending', description: evil, notes: [{ at: now, by: evil, text: evil }] },
    root: { id: 'T001', title: evil },
    filter: evil,
  };
  const sizes = [1, 2, 3, 24].flatMap((rows) => [1, 7, 39, 40, 80].map((columns) => ({ columns, rows })));
  const views: Partial<WatchState>[] = [
    ...(['board', 'list', 'task', 'log'] as const).map((view) => ({ view })),
    { isHelp: true },
    { isTyping: true },
    { problem: { code: 'E_X', message: evil, fix: evil } },
  ];

  test.each(views)('fits the screen and contains no control characters: %j', (view) => {
    for (const size of sizes)
      for (const hasColour of [true, false])
        for (const column of [0, 3]) {
          const lines = drawFrame({ ...world, ...hostile, ...view, column }, size, hasColour);
          expect(lines).toHaveLength(size.rows);
          for (const line of lines) {
            expect(measureWidth(line), `${size.columns}x${size.rows}`).toBeLessThanOrEqual(size.columns);
            expect(line.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
            if (!hasColour) expect(line).not.toContain('\u001b');
          }
        }
  });

  test('keeps the closing colour codes of a truncated line', () => {
    expect(truncatePainted('\u001b[31mred and more\u001b[39m behind', 6)).toBe('\u001b[31mred a…\u001b[39m');
    expect(truncatePainted('漢字漢字', 5)).toBe('漢字…');
    expect(truncatePainted('short', 5)).toBe('short');
  });
});

test('draws ten thousand tasks as quickly as ten', () => {
  const cards = Array.from({ length: 10_000 }, (_, i) => card(`T${1000 + i}`));
  const many: Partial<WatchState> = {
    columns: [column('pending', cards), ...columns.slice(1)],
    cards,
    selected: [5000, 0, 0, 0],
    row: 5000,
  };
  const time = (more: Partial<WatchState>): number => {
    const startedAt = performance.now();
    for (let i = 0; i < 50; i++) for (const view of ['board', 'list'] as const) at(80, 24, { ...more, view });
    return performance.now() - startedAt;
  };
  time({});
  // Counting makes it a little slower, but not a thousand times.
  expect(time(many) / time({})).toBeLessThan(20);
});

describe('the agents of cleo work', () => {
  const usage = { inputTokens: 900, outputTokens: 100, costUsd: 0.25 };
  const more = { agentId: 'T003-worker-1', profile: 'claude', round: 1, usage };
  const work = {
    processes: [{ id: 'w1', pid: 7, profile: 'claude', parallel: 2, tasks: 1, failures: 0, usage }],
    tasks: [
      { taskId: 'T003', title: 'Test it', state: 'working', elapsedMs: 61_000, lastLine: 'Running npm test', ...more },
      { taskId: 'T002', title: 'Write it', state: 'done', elapsedMs: 5000, ...more },
    ],
    elsewhere: [{ taskId: 'T005', profile: 'codex' }],
  };

  test('are shown with what they do, and the selected task is marked', () => {
    expect(at(80, 8, { view: 'work', work, workRow: 1 })).toEqual([
      ' 1 board  2 list  3 task  4 log [5 work]',
      ' cleo work w1  pid 7  claude × 2  1 done or released  1000 tokens, $0.25',
      ' ◐ T003  Test it  working  1.0 min  1000 tokens, $0.25  Running npm test',
      '▌✓ T002  Write it  done  5.0 s  1000 tokens, $0.25',
      ' ◐ T005  on another machine  codex',
      '',
      '',
      '? help  q quit  ⏎ open  / filter  ↑↓ move                                    2/3',
    ]);
    expect(at(40, 8, { view: 'work', work }).every((line) => measureWidth(line) <= 40)).toBe(true);
  });

  test('are filtered by words, and a place without any says so', () => {
    expect(at(80, 5, { view: 'work', work, filter: 'npm' })[2]).toContain('T003');
    expect(at(80, 5, { view: 'work', work, filter: 'npm' })[3]).toBe('');
    expect(at(80, 5, { view: 'work' })[2]).toBe('  no agent has worked here: cleo work');
  });
});
