import { expect, test } from 'vitest';
import { decideRound, describeOutside, listFindings, type RoundFacts } from './round.ts';

const done: RoundFacts = {
  isDone: true,
  missingGates: [],
  staleGates: [],
  hasWork: true,
  uncommitted: [],
  outside: [],
  returned: 'complete',
  problems: [],
};
const open: RoundFacts = { ...done, isDone: false };

test.each<[string, Partial<RoundFacts>, string[]]>([
  ['nothing', {}, []],
  ['an exceeded time limit', { timedOutMinutes: 1 }, ['The agent did not finish within 1 minute.']],
  ['another branch', { leftBranch: 'cleo/T001' }, ['The worktree is not on branch cleo/T001 any more.']],
  [
    'no work',
    { hasWork: false },
    ['Nothing was changed: the branch has no commit that changes a file, and the task has no entry in the manifest.'],
  ],
  ['work next to changes elsewhere', { outside: ['a.ts'] }, []],
  ['files that are not committed', { uncommitted: ['a.ts', 'b.ts'] }, ['Files are not committed: a.ts, b.ts.']],
  ['stale evidence', { staleGates: ['testsPassed'] }, ['Files changed after they were submitted as evidence for testsPassed.']],
  ['missing evidence', { missingGates: ['implemented', 'qaPassed'] }, ['There is no evidence for implemented.']],
  ['other problems', { problems: ['E_TEST'] }, ['E_TEST']],
])('lists %s', (_, facts, expected) => {
  expect(listFindings({ ...open, ...facts })).toEqual(expected);
});

test('without work, files that changed outside the worktree are named, at most five', () => {
  const outside = ['1', '2', '3', '4', '5', '6', '7'];
  expect(listFindings({ ...open, hasWork: false, outside })[1]).toBe(`${describeOutside(outside)}. Only work in the worktree counts.`);
  expect(describeOutside(outside)).toBe('Files of the project folder changed while the agent ran: 1, 2, 3, 4, 5 and 2 more');
});

test.each<[string, Partial<RoundFacts>, string | undefined]>([
  ['partial of a task that is done', { ...done, returned: 'partial' }, 'The task was completed, but the agent returned partial.'],
  ['blocked of a task that is done', { ...done, returned: 'blocked' }, 'The task was completed, but the agent returned blocked.'],
  ['blocked of an open task', { ...open, returned: 'blocked' }, 'The agent returned blocked.'],
  ['partial of an open task', { ...open, returned: 'partial' }, 'The agent returned partial.'],
  ['partial of a task that lacks only qaPassed', { ...open, returned: 'partial', missingGates: ['qaPassed'] }, undefined],
  [
    'no message for an open task',
    { ...open, returned: undefined },
    'The agent ended without completing the task and without a return message.',
  ],
  ['no message for a task that is done', { ...done, returned: undefined }, undefined],
])('judges the return message: %s', (_, facts, expected) => {
  expect(listFindings({ ...done, ...facts })).toEqual(expected === undefined ? [] : [expected]);
});

test.each<[string, RoundFacts, number, string]>([
  ['accepts a task that its agent completed', done, 1, 'accept'],
  ['completes a task that has everything', open, 1, 'complete'],
  ['has a task judged that lacks only qaPassed', { ...open, missingGates: ['qaPassed'] }, 1, 'validate'],
  ['starts another round with findings', { ...open, hasWork: false }, 2, 'retry'],
  ['gives up after the last round', { ...open, hasWork: false }, 3, 'give-up'],
  ['accepts in the last round', done, 3, 'accept'],
])('%s', (_, facts, round, decision) => {
  expect(decideRound(facts, round, 3).decision).toBe(decision);
});
