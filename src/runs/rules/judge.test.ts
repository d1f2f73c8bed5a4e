import { expect, test } from 'vitest';
import { judgementOf, readVerdict } from './judge.ts';

test.each<[why: string, printed: string, problem: string]>([
  ['nothing', ' \n', 'printed nothing'],
  ['no JSON', 'not json', 'printed no single JSON value'],
  ['two values', '{"verdict":"pass","score":1}\n{"verdict":"pass","score":1}', 'printed no single JSON value'],
  ['a list', '[]', 'printed no object'],
  ['another verdict', '{"verdict":"yes","score":1}', 'gave no verdict of pass, fail or unsure'],
  ['no score', '{"verdict":"pass"}', 'gave no score from 0 to 1'],
  ['a score as a text', '{"verdict":"pass","score":"1"}', 'gave no score from 0 to 1'],
  ['a score that is no number', '{"verdict":"pass","score":NaN}', 'printed no single JSON value'],
  ['a score beyond all', '{"verdict":"pass","score":1e999}', 'gave no score from 0 to 1'],
  ['a score below nothing', '{"verdict":"fail","score":-0.1}', 'gave no score from 0 to 1'],
])('a judge that prints %s has said nothing', (_, printed, problem) => {
  expect(readVerdict(printed)).toEqual({ problem });
});

test('what else a judge says is kept where it makes sense', () => {
  const criteria = [{ id: 'a', score: 0.5, reason: 'r' }, { id: 'b', score: 2 }, null, { id: 'c', score: 1 }];
  const said = { verdict: 'pass', score: 1, reasons: ['x', 1], criteria, model: 'm', usage: { tokens: 5, by: 'y' }, more: true };
  expect(readVerdict(JSON.stringify(said))).toEqual({
    ...{ verdict: 'pass', score: 1, reasons: ['x'], model: 'm', usage: { tokens: 5 } },
    criteria: [
      { id: 'a', score: 0.5, reason: 'r' },
      { id: 'c', score: 1, reason: '' },
    ],
  });
  expect(readVerdict('{"verdict":"fail","score":0}')).toEqual({
    ...{ verdict: 'fail', score: 0, reasons: [], criteria: [], model: null, usage: null },
  });
});

type Vote = ['pass' | 'fail' | 'unsure', number];
test.each<[why: string, votes: Vote[], outcome: string, reason: string]>([
  ['a pass', [['pass', 0.7]], 'pass', 'judge_passed_it'],
  ['a pass that scores too low', [['pass', 0.69]], 'fail', 'score_below_minimum'],
  ['three that score just enough', Array<Vote>(3).fill(['pass', 0.7]), 'pass', 'judge_passed_it'],
  [
    'a mean, and not the least',
    [
      ['pass', 1],
      ['pass', 0.4],
      ['pass', 0.7],
    ],
    'pass',
    'judge_passed_it',
  ],
  ['a failure, however high it scores', [['fail', 1]], 'fail', 'because'],
  ['doubt', [['unsure', 1]], 'review', 'judge_unsure'],
  [
    'disagreement',
    [
      ['pass', 1],
      ['pass', 1],
      ['fail', 0],
    ],
    'review',
    'votes_differ',
  ],
])('%s', (_, votes, outcome, reason) => {
  const said = votes.map(([verdict, score]) => ({ verdict, score, reasons: ['because'], criteria: [], model: null, usage: null }));
  expect(judgementOf(said, 0.7)).toMatchObject({ outcome, reason });
});
