import { expect, test } from 'vitest';
import { countDaysUntil, parseDue, scoreDue } from './due.ts';

const today = '2026-01-30';

test.each([
  ['2026-02-14', '2026-02-14'],
  ['today', '2026-01-30'],
  ['Tomorrow', '2026-01-31'],
  ['3d', '2026-02-02'],
  ['+2w', '2026-02-13'],
  ['0d', '2026-01-30'],
  ['fri', '2026-02-06'],
  ['Saturday', '2026-01-31'],
  ['thurs', '2026-02-05'],
  ['none', undefined],
  ['', undefined],
])('parses %j as %s', (text, due) => {
  expect(parseDue(text, today)).toBe(due);
});

test.each([
  ['2026-01-29', -1, 'overdue since 2026-01-29', 100],
  ['2026-01-30', 0, 'due on 2026-01-30', 50],
  ['2026-02-02', 3, 'due on 2026-02-02', 50],
  ['2026-02-03', 4, '', 0],
])('%s is %i days away and gives %j', (due, days, term, points) => {
  expect(countDaysUntil(due, today)).toBe(days);
  expect(scoreDue(due, today)).toEqual({ term, points });
});

test('a task without a due date gets no points', () => {
  expect(scoreDue(undefined, today)).toEqual({ term: '', points: 0 });
});
