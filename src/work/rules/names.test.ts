import { expect, test } from 'vitest';
import { createSlotAgent, createWorktreeName, findWorktreeName, parseSlotAgent, toBranch } from './names.ts';

test('names a worktree and its branch by the task and its title', () => {
  expect(createWorktreeName('T001', 'Write the parser!')).toBe('T001-write-the-parser');
  expect(createWorktreeName('T001', '???')).toBe('T001');
  expect(toBranch('T001-write-the-parser')).toBe('cleo/T001-write-the-parser');
});

test('finds the worktree of a task after a change of its title, and none of a longer id', () => {
  expect(findWorktreeName('T001', ['T0011-other', 'T001-old-title'])).toBe('T001-old-title');
  expect(findWorktreeName('T001', ['T001'])).toBe('T001');
  expect(findWorktreeName('T001', ['T0011-other', 'integration'])).toBeUndefined();
});

test.each([
  [createSlotAgent('claude', 'work-ab12', 3), { profile: 'claude', workId: 'work-ab12' }],
  ['ada/work/claude/work-ab12/3', { profile: 'claude', workId: 'work-ab12' }],
  ['homework/claude/work-ab12/3', undefined],
  ['work/claude/work-ab12', undefined],
  ['ada', undefined],
])('reads the profile and the process from the agent %s', (agent, expected) => {
  expect(parseSlotAgent(agent)).toEqual(expected);
});
