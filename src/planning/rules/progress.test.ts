import { expect, test } from 'vitest';
import type { Status, TaskType } from '#core/model/scalars.ts';
import { byStatus, progressOf } from './progress.ts';

/** `task done 3`. */
const counts = (...lines: string[]) =>
  lines.map((line) => {
    const [type, status, n] = line.split(' ');
    return { type: type as TaskType, status: status as Status, n: Number(n) };
  });

const cases: [what: string, lines: string[], done: number, total: number, percent: number][] = [
  ['nothing', [], 0, 0, 0],
  ['tasks and subtasks count alike', ['task done 2', 'task active 1', 'subtask pending 1'], 2, 4, 50],
  ['what only holds them does not', ['saga pending 1', 'epic done 3', 'task done 1', 'task blocked 1'], 1, 2, 50],
  ['all is a hundred', ['epic pending 1', 'task done 7'], 7, 7, 100],
  ['nearly all is not', ['task done 999', 'task pending 1'], 999, 1000, 99],
  ['an epic with nothing inside', ['epic pending 1'], 0, 0, 0],
  ['one that is done', ['epic done 1'], 0, 0, 100],
];
test.each(cases)('progress: %s', (_, lines, done, total, percent) => {
  expect(progressOf(counts(...lines))).toEqual({ done, total, percent });
});

test('states of tasks and subtasks, all of them named', () => {
  expect(byStatus(counts('epic active 1', 'task active 1', 'subtask active 2', 'task done 4'))).toEqual({
    pending: 0,
    active: 3,
    blocked: 0,
    done: 4,
  });
});
