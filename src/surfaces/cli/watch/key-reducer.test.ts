import { describe, expect, test } from 'vitest';
import type { Card, Column } from '#tasks/model/board.ts';
import { reduceKey } from './key-reducer.ts';
import { type KeyName, parseKeys } from './keys.ts';
import { applyAnswer, createState, getQuery, getSelectedTask, type WatchEntry, type WatchState } from './state.ts';

const card = (id: string, more: Partial<Card> = {}): Card => ({
  id,
  title: `Task ${id}`,
  status: 'pending',
  type: 'task',
  priority: 'medium',
  ...more,
});
const column = (status: Column['status'], ...cards: Card[]): Column => ({ status, count: cards.length, cards });
const columns = [
  column('pending', card('T001', { type: 'epic' }), card('T002', { epicId: 'T001' }), card('T003')),
  column('active', card('T004', { epicId: 'T001' })),
  column('blocked'),
  column('done', card('T005'), card('T006')),
];
const meta = { command: 'x', version: '0', timestamp: '2026-01-01T00:00:00.000Z' };
const board = (state: WatchState, answer: Column[] = columns): WatchState =>
  applyAnswer(state, { operation: 'tasks.board', params: {} }, { _meta: meta, success: true, columns: answer });
const entry = (seq: number, more: Partial<WatchEntry> = {}): WatchEntry => ({
  seq,
  timestamp: meta.timestamp,
  operation: 'tasks.add',
  agent: 'ada',
  success: true,
  ...more,
});
const log = (state: WatchState, ...entries: WatchEntry[]): WatchState =>
  applyAnswer(state, { operation: 'admin.log', params: {} }, { _meta: meta, success: true, entries });
const world = board(createState({}));

const names: Record<string, KeyName> = {
  UP: 'up',
  DOWN: 'down',
  LEFT: 'left',
  RIGHT: 'right',
  ENTER: 'enter',
  ESC: 'escape',
  TAB: 'tab',
  BACKTAB: 'backTab',
  BACK: 'backspace',
  END: 'end',
  PGDN: 'pageDown',
  CLEAR: 'clear',
};
/** Presses keys: names in capitals, or text. */
const press = (state: WatchState, ...keys: string[]): WatchState =>
  keys
    .flatMap((key) => (names[key] ? [{ key: names[key] }] : parseKeys(key).keys))
    .reduce((now, key) => reduceKey(now, key, { columns: 80, rows: 12 }), state);
const formatPlace = (state: WatchState): string => `${state.view} ${getSelectedTask(state) ?? '-'}`;

test.each([
  [[], 'board T001'],
  [['DOWN'], 'board T002'],
  [['j', 'j', 'j'], 'board T003'],
  [['UP'], 'board T001'],
  [['l'], 'board T004'],
  [['RIGHT', 'RIGHT'], 'board T005'],
  [['l', 'l', 'l', 'l'], 'board T005'],
  [['l', 'l', 'h'], 'board T004'],
  [['h'], 'board T001'],
  [['DOWN', 'RIGHT', 'LEFT'], 'board T002'],
  [['END'], 'board T003'],
  [['G', 'g'], 'board T001'],
  [['PGDN'], 'board T003'],
  [['2', 'j', 'j', 'j'], 'list T004'],
  [['2', 'l'], 'list T001'],
  [['TAB'], 'list T001'],
  [['TAB', 'TAB', 'TAB', 'TAB'], 'work -'],
  [['TAB', 'TAB', 'TAB', 'TAB', 'TAB'], 'board T001'],
  [['BACKTAB', 'BACKTAB'], 'log -'],
  [['ENTER', '4', 'BACKTAB'], 'task T001'],
  [['j', 'ENTER'], 'task T002'],
  [['j', 'ENTER', 'ESC'], 'board T002'],
  [['2', 'j', '3', 'q'], 'list T002'],
  [['ENTER', '4', '3'], 'task T001'],
  [['9', 'x', 'ENTER', 'ENTER'], 'task T001'],
])('moves with %j to %s', (keys, place) => {
  expect(formatPlace(press(world, ...keys))).toBe(place);
});

test.each([
  [['q'], true],
  [['\u0003'], true],
  [['ENTER', 'q'], false],
  [['ENTER', 'q', 'q'], true],
  [['ESC'], false],
  [['/', 'q'], false],
  [['/', '\u0003'], true],
  [['?', 'q'], false],
])('%j: closed is %s', (keys, isOver) => {
  expect(press(world, ...keys).isClosed).toBe(isOver);
});

describe('the filter', () => {
  test('applies while it is typed', () => {
    expect(getQuery(press(world, '/', 'pars')).params).toEqual({ limit: 10_000, match: 'pars' });
    expect(getQuery(press(world, '/', 'pars', 'BACK', 'e漢', 'BACK', 'ENTER')).params).toMatchObject({ match: 'pare' });
    expect(press(world, '/', 'pars', 'ENTER')).toMatchObject({ filter: 'pars', isTyping: false });
  });
  test('ends with escape or with a backspace when it is empty', () => {
    expect(press(world, '/', 'pars', 'ESC')).toMatchObject({ filter: '', isTyping: false });
    expect(press(world, '/', 'pars', 'ENTER', 'ESC').filter).toBe('');
    expect(press(world, '/', 'x', 'BACK', 'BACK')).toMatchObject({ filter: '', isTyping: false });
    expect(press(world, '/', 'x y', 'CLEAR')).toMatchObject({ filter: '', isTyping: true });
  });
  test('leaves the arrow keys alone and limits its length', () => {
    expect(formatPlace(press(world, '/', 'x', 'DOWN'))).toBe('board T002');
    expect(press(world, '/', 'x'.repeat(500)).filter).toHaveLength(100);
  });
  test('filters a list and the log locally', () => {
    const listed = applyAnswer(
      createState({ listParams: { status: 'pending' } }),
      { operation: 'tasks.list', params: {} },
      { _meta: meta, success: true, tasks: columns[0]!.cards },
    );
    expect(formatPlace(press(listed, '/', 't003'))).toBe('list T003');
    expect(getQuery(press(listed, '/', 't003'))).toEqual({ operation: 'tasks.list', params: { status: 'pending' } });
    const logged = log(press(world, '4'), entry(2, { updated: ['T003'] }), entry(1, { agent: 'bob', created: ['T002'] }));
    expect(formatPlace(press(logged, '/', 'bob'))).toBe('log T002');
  });
});

test('narrows with e to the epic of the selected task and back, also from the task view', () => {
  expect(getQuery(press(world, 'j', 'e')).params).toMatchObject({ epic: 'T001' });
  expect(getQuery(press(world, 'e')).params).toMatchObject({ epic: 'T001' });
  expect(press(world, 'j', 'ENTER', 'e')).toMatchObject({ view: 'board', epic: 'T001' });
  for (const keys of [
    ['j', 'e', 'e'],
    ['j', 'e', 'ESC'],
    ['END', 'e'],
    ['4', 'e'],
  ])
    expect(press(world, ...keys)).not.toHaveProperty('epic');
});

test('has no board in list --watch', () => {
  const listed = createState({ listParams: {} });
  expect(press(listed, '1').view).toBe('list');
  expect(press(listed, 'TAB').view).toBe('log');
});

test('scrolls a task until its last line is at the bottom', () => {
  const opened = {
    ...press(world, 'ENTER'),
    task: { id: 'T001', title: 'x', description: Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n') },
  };
  const { scroll } = press(opened, 'END');
  expect(scroll).toBe(2 + 30 - 10);
  expect(press(opened, 'END', 'DOWN', 'UP').scroll).toBe(scroll - 1);
  expect(press(opened, 'UP').scroll).toBe(0);
});

describe('an answer', () => {
  test('keeps the selection when the selected task moves', () => {
    const moved = [
      column('pending', card('T009'), card('T001')),
      column('active', card('T002'), card('T004')),
      column('blocked'),
      column('done'),
    ];
    expect(formatPlace(board(press(world, 'j'), moved))).toBe('board T002');
    expect(formatPlace(press(board(press(world, 'j'), moved), 'j'))).toBe('board T004');
    const fewer = [column('pending', card('T009')), ...moved.slice(1)];
    expect(formatPlace(board(press(world, '2', 'j'), fewer))).toBe('list T002');
  });
  test('selects the next task when the selected one is gone', () => {
    expect(formatPlace(board(press(world, 'j', 'j'), [column('pending', card('T007'), card('T008')), ...columns.slice(1)]))).toBe(
      'board T008',
    );
    expect(formatPlace(board(world, [column('pending'), column('active'), column('blocked'), columns[3]!]))).toBe('board T005');
    expect(
      formatPlace(
        board(
          world,
          columns.map((one) => ({ ...one, cards: [] })),
        ),
      ),
    ).toBe('board -');
  });
  test('keeps the top of the log selected, or the selected entry', () => {
    const logged = log(press(world, '4'), entry(2, { created: ['T002'] }), entry(1, { created: ['T001'] }));
    const more = [entry(3, { created: ['T003'] }), entry(2, { created: ['T002'] }), entry(1, { created: ['T001'] })];
    expect(formatPlace(log(logged, ...more))).toBe('log T003');
    expect(formatPlace(log(press(logged, 'j'), ...more))).toBe('log T001');
  });
  test('shows an error over the last data until the next answer', () => {
    const refused = applyAnswer(world, getQuery(world), {
      _meta: meta,
      success: false,
      error: { code: 'E_STORE_DAMAGED', message: 'gone', fix: 'cleo doctor' },
    });
    expect(refused).toMatchObject({ problem: { code: 'E_STORE_DAMAGED', message: 'gone', fix: 'cleo doctor' }, columns });
    expect(board(refused)).not.toHaveProperty('problem');
  });
});

test('the selection follows a task of an agent, and enter opens it', () => {
  const answer = (state: WatchState, ...ids: string[]): WatchState =>
    applyAnswer(
      state,
      { operation: 'work.status', params: {} },
      { _meta: meta, success: true, work: { processes: [], tasks: ids.map((taskId) => ({ taskId })) } },
    );
  const shown = answer(press(world, '5'), 'T001', 'T002');
  expect(formatPlace(shown)).toBe('work T001');
  expect(formatPlace(answer(press(shown, 'DOWN'), 'T003', 'T001', 'T002'))).toBe('work T002');
  expect(formatPlace(press(shown, 'DOWN', 'ENTER'))).toBe('task T002');
  expect(press(shown, 'ENTER', 'ESC').view).toBe('work');
});
