import { expect, test } from 'vitest';
import { type Budget, findBudgetEnd, parseDuration, type Spending } from './budget.ts';

const none: Budget = { maxFailures: 0 };
const spent: Spending = { now: '2026-01-01T10:00:00.000Z', tasksStarted: 3, costUsd: 1.5, failuresInRow: 2 };

test.each<[string, Partial<Budget>, string | undefined]>([
  ['without limits', {}, undefined],
  ['before the last task', { maxTasks: 4 }, undefined],
  ['with the last task', { maxTasks: 3 }, 'tasks'],
  ['with 0, which is no limit', { maxTasks: 0, maxCostUsd: 0 }, undefined],
  ['before its time', { until: '2026-01-01T10:00:00.001Z' }, undefined],
  ['at its time', { until: '2026-01-01T10:00:00.000Z' }, 'time'],
  ['below its cost', { maxCostUsd: 1.51 }, undefined],
  ['at its cost', { maxCostUsd: 1.5 }, 'cost'],
  ['before its last failure', { maxFailures: 3 }, undefined],
  ['after its last failure, which is reported first', { maxFailures: 2, maxTasks: 1 }, 'failures'],
])('finds the end of a budget %s', (_, budget, expected) => {
  expect(findBudgetEnd({ ...none, ...budget }, spent)).toBe(expected);
});

test.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['30 min', 1_800_000],
  ['1.5h', 5_400_000],
  [' 2H ', 7_200_000],
  ['366d', 366 * 86_400_000],
  ['367d', undefined],
  ['0s', undefined],
  ['5', undefined],
  ['h', undefined],
  ['-1h', undefined],
  ['1w', undefined],
  ['1h30m', undefined],
])('parses the duration %j as %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});
