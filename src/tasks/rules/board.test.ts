import { expect, test } from 'vitest';
import type { BoardTask } from '../model/board.ts';
import { boardColumns } from './board.ts';

const task = (id: string, more: Partial<BoardTask> = {}): BoardTask => ({
  id,
  type: 'task',
  status: 'pending',
  priority: 'medium',
  title: `Task ${id}`,
  ...more,
});
const all = { above: [], limit: 100 };
const shown = (columns: ReturnType<typeof boardColumns>): string[] =>
  columns.map(({ status, count, tasks }) => `${status} ${count}: ${tasks.map(({ id }) => id).join(' ')}`);

const tasks = [
  task('T010'),
  task('T002'),
  task('T003', { priority: 'critical' }),
  task('T1000', { priority: 'high', title: 'Write the Älteste parser' }),
  task('T004', { status: 'active' }),
  task('T005', { status: 'done', completedAt: '2026-01-02T00:00:00.000Z' }),
  task('T006', { status: 'done', completedAt: '2026-01-03T00:00:00.000Z' }),
  task('T007', { status: 'done' }),
];

test.each([
  {
    what: 'urgent ones first, then the oldest; the last done first',
    asked: all,
    found: ['pending 4: T003 T1000 T002 T010', 'active 1: T004', 'blocked 0: ', 'done 3: T006 T005 T007'],
  },
  {
    what: 'a limit cuts each column, the count stays',
    asked: { ...all, limit: 1 },
    found: ['pending 4: T003', 'active 1: T004', 'blocked 0: ', 'done 3: T006'],
  },
  {
    what: 'words in any order, of any case, in title or id',
    asked: { ...all, match: 'PARSER älteste t1000' },
    found: ['pending 1: T1000', 'active 0: ', 'blocked 0: ', 'done 0: '],
  },
  {
    what: 'blanks match everything',
    asked: { ...all, match: '  ', limit: 0 },
    found: ['pending 4: ', 'active 1: ', 'blocked 0: ', 'done 3: '],
  },
  {
    what: 'the root is no card on its own board',
    asked: { ...all, limit: 1, above: [{ id: 'T003', type: 'epic' as const }] },
    found: ['pending 3: T1000', 'active 1: T004', 'blocked 0: ', 'done 3: T006'],
  },
])('$what', ({ asked, found }) => {
  expect(shown(boardColumns(tasks, asked))).toEqual(found);
});

test('a card names the nearest epic it is inside of, also one above the root', () => {
  const inside = [
    task('T003', { parentId: 'T002' }),
    task('T004', { parentId: 'T003', type: 'subtask' }),
    task('T005', { parentId: 'T005' }),
    task('T006', { parentId: 'T900' }),
  ];
  const above = [
    { id: 'T002', type: 'epic' as const, parentId: 'T001' },
    { id: 'T001', type: 'saga' as const },
  ];
  expect(boardColumns(inside, { ...all, above })[0]!.tasks.map(({ id, epicId }) => [id, epicId])).toEqual([
    ['T003', 'T002'],
    ['T004', 'T002'],
    ['T005', undefined],
    ['T006', undefined],
  ]);
});
