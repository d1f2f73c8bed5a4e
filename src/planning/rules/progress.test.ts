import { expect, test } from 'vitest';
import type { Status, TaskType } from '#core/model/scalars.ts';
import { computeProgress, countByStatus } from './progress.ts';

/** `task done 3`. */
const counts = (...lines: string[]) =>
  lines.map((line) => {
    const [type, status, n] = line.split(' ');
    return { type: type as TaskType, status: status as Status, n: Number(n) };
  });

const cases: [what: string, lines: string[], done: number, total: number, percent: number][] = [
  ['nothing', [], 0, 0, 0],
  ['tasks and subtasks count alike', ['task done 2', 'task active 1', 'subtask pending 1'], 2, 4, 50],
  ['sagas and epics do not count', ['saga pending 1', 'epic done 3', 'task done 1', 'task blocked 1'], 1, 2, 50],
  ['all done is 100 %', ['epic pending 1', 'task done 7'], 7, 7, 100],
  ['nearly all done is 99 %', ['task done 999', 'task pending 1'], 999, 1000, 99],
  ['an empty epic', ['epic pending 1'], 0, 0, 0],
  ['an empty epic that is done', ['epic done 1'], 0, 0, 100],
];
test.each(cases)('progress: %s', (_, lines, done, total, percent) => {
  expect(computeProgress(counts(...lines))).toEqual({ done, total, percent });
});

test('counts tasks and subtasks by status, zeros included', () => {
  expect(countByStatus(counts('epic active 1', 'task active 1', 'subtask active 2', 'task done 4'))).toEqual({
    pending: 0,
    active: 3,
    blocked: 0,
    done: 4,
  });
});
