import { expect, test } from 'vitest';
import { formatWorkTask } from './index.ts';

const usage = { inputTokens: 11_000, outputTokens: 1_000, costUsd: 0.5 };
const title = 'Count down and write the parser in three steps';
const branch = 'cleo/T003-count-down-and-write-the-parser-in-three';
const running = { taskId: 'T003', title, branch, state: 'working', round: 1, elapsedMs: 65_000, usage, lastLine: '20 s left' };

test.each([
  [80, '◐ T003  Count down and write the…  working  1.1 min  12k tokens, $0.50  20 s left'],
  [40, '◐ T003  Count down a…  working  1.1 min  12k tokens, $0.50  20 s left'],
])('a task in work shows the end of its output within %i columns', (columns, text) => {
  expect(formatWorkTask(running, columns)).toBe(text);
});

test('a task that has ended shows its branch and the note instead of its output', () => {
  const ended = { ...running, state: 'attention', round: 2, note: 'gave up after 2 rounds' };
  expect(formatWorkTask(ended, 200)).toBe(
    `✗ T003  ${title}  needs attention  2 rounds  1.1 min  12k tokens, $0.50  ${branch}  gave up after 2 rounds`,
  );
});
