import { expect, test } from 'vitest';
import { isForCaller, parseAssignee } from './assignee.ts';

test.each([
  ['ada', 'ada'],
  ['@ada', 'ada'],
  [' Ada Lovelace ', 'Ada Lovelace'],
  ['me', 'claude-1'],
  ['none', undefined],
  ['', undefined],
  ['@', '@'],
])('parses the assignee %j as %j', (text, assignee) => {
  expect(parseAssignee(text, 'claude-1')).toBe(assignee);
});

test.each([
  ['ada', ['ada'], true],
  ['ada', ['claude-1', 'ada'], true],
  ['ada', ['ada-reviewer'], true],
  ['ada', ['adam'], false],
  ['ada-reviewer', ['ada'], false],
  ['ada', [], false],
])('a task for %s belongs to a caller with the names %j: %s', (assignee, names, expected) => {
  expect(isForCaller(assignee, names)).toBe(expected);
});
