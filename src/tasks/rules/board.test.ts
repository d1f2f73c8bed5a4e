import { expect, test } from 'vitest';
import type { BoardTask } from '../model/board.ts';
import { buildBoardColumns } from './board.ts';

const task = (id: string, more: Partial<BoardTask> = {}): BoardTask => ({
  id,
  type: 'task',
  status: 'pending',
  priority: 'medium',
  title: `Task ${id}`,
  ...more,
});
const all = { ancestry: [], limit: 100 };
const summarize = (columns: ReturnType<typeof buildBoardColumns>): string[] =>
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
    what: 'sorts open tasks by priority and age, done ones by completion',
    options: all,
    found: ['pending 4: T003 T1000 T002 T010', 'active 1: T004', 'blocked 0: ', 'done 3: T006 T005 T007'],
  },
  {
    what: 'limits each column but counts all tasks',
    options: { ...all, limit: 1 },
    found: ['pending 4: T003', 'active 1: T004', 'blocked 0: ', 'done 3: T006'],
  },
  {
    what: 'matches words in any order and case, in title or id',
    options: { ...all, match: 'PARSER älteste t1000' },
    found: ['pending 1: T1000', 'active 0: ', 'blocked 0: ', 'done 0: '],
  },
  {
    what: 'matches everything for blanks',
    options: { ...all, match: '  ', limit: 0 },
    found: ['pending 4: ', 'active 1: ', 'blocked 0: ', 'done 3: '],
  },
  {
    what: 'leaves out the root of the board',
    options: { ...all, limit: 1, ancestry: [{ id: 'T003', type: 'epic' as const }] },
    found: ['pending 3: T1000', 'active 1: T004', 'blocked 0: ', 'done 3: T006'],
  },
])('$what', ({ options, found }) => {
  expect(summarize(buildBoardColumns(tasks, options))).toEqual(found);
});

test('names the nearest epic of a card, even above the root', () => {
  const inside = [
    task('T003', { parentId: 'T002' }),
    task('T004', { parentId: 'T003', type: 'subtask' }),
    task('T005', { parentId: 'T005' }),
    task('T006', { parentId: 'T900' }),
  ];
  const ancestry = [
    { id: 'T002', type: 'epic' as const, parentId: 'T001' },
    { id: 'T001', type: 'saga' as const },
  ];
  expect(buildBoardColumns(inside, { ...all, ancestry })[0]!.tasks.map(({ id, epicId }) => [id, epicId])).toEqual([
    ['T003', 'T002'],
    ['T004', 'T002'],
    ['T005', undefined],
    ['T006', undefined],
  ]);
});
