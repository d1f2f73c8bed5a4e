import { expect, test } from 'vitest';
import { combineVotes, parseVerdict } from './judge.ts';

test.each<[why: string, printed: string, problem: string]>([
  ['nothing', ' \n', 'printed nothing'],
  ['text', 'not json', 'did not print a single JSON value'],
  ['two values', '{"verdict":"pass","score":1}\n{"verdict":"pass","score":1}', 'did not print a single JSON value'],
  ['a list', '[]', 'did not print an object'],
  ['an unknown verdict', '{"verdict":"yes","score":1}', 'verdict is not pass, fail or unsure'],
  ['no score', '{"verdict":"pass"}', 'score is not a number from 0 to 1'],
  ['a score as a text', '{"verdict":"pass","score":"1"}', 'score is not a number from 0 to 1'],
  ['a score of NaN', '{"verdict":"pass","score":NaN}', 'did not print a single JSON value'],
  ['a score above 1', '{"verdict":"pass","score":1e999}', 'score is not a number from 0 to 1'],
  ['a negative score', '{"verdict":"fail","score":-0.1}', 'score is not a number from 0 to 1'],
])('rejects a judge that prints %s', (_, printed, problem) => {
  expect(parseVerdict(printed)).toEqual({ problem });
});

test('keeps the valid optional fields of a verdict', () => {
  const criteria = [{ id: 'a', score: 0.5, reason: 'r' }, { id: 'b', score: 2 }, null, { id: 'c', score: 1 }];
  const answer = { verdict: 'pass', score: 1, reasons: ['x', 1], criteria, model: 'm', usage: { tokens: 5, by: 'y' }, more: true };
  expect(parseVerdict(JSON.stringify(answer))).toEqual({
    ...{ verdict: 'pass', score: 1, reasons: ['x'], model: 'm', usage: { tokens: 5 } },
    criteria: [
      { id: 'a', score: 0.5, reason: 'r' },
      { id: 'c', score: 1, reason: '' },
    ],
  });
  expect(parseVerdict('{"verdict":"fail","score":0}')).toEqual({
    ...{ verdict: 'fail', score: 0, reasons: [], criteria: [], model: null, usage: null },
  });
});

type Vote = ['pass' | 'fail' | 'unsure', number];
test.each<[why: string, votes: Vote[], outcome: string, reason: string]>([
  ['a pass', [['pass', 0.7]], 'pass', 'judge_passed_it'],
  ['a pass that scores too low', [['pass', 0.69]], 'fail', 'score_below_minimum'],
  ['three passes at the minimum', Array<Vote>(3).fill(['pass', 0.7]), 'pass', 'judge_passed_it'],
  [
    'the mean decides, not the lowest score',
    [
      ['pass', 1],
      ['pass', 0.4],
      ['pass', 0.7],
    ],
    'pass',
    'judge_passed_it',
  ],
  ['a fail with a high score', [['fail', 1]], 'fail', 'because'],
  ['unsure', [['unsure', 1]], 'review', 'judge_unsure'],
  [
    'differing votes',
    [
      ['pass', 1],
      ['pass', 1],
      ['fail', 0],
    ],
    'review',
    'votes_differ',
  ],
])('combines votes: %s', (_, votes, outcome, reason) => {
  const verdicts = votes.map(([verdict, score]) => ({ verdict, score, reasons: ['because'], criteria: [], model: null, usage: null }));
  expect(combineVotes(verdicts, 0.7)).toMatchObject({ outcome, reason });
});
