import { expect, test } from 'vitest';
import type { ReviewEvent } from '#runs/model/judge.ts';
import { collectVerdicts } from './verdicts.ts';

const request = (review_id: string, execution_id: string, kind: ReviewEvent['kind'] = 'goal'): ReviewEvent => ({
  ...{ event: 'review_requested', review_id, at: '', by: 'runner', execution_id, kind },
});
const resolve = (
  review_id: string,
  by: string,
  verdict: 'pass' | 'fail',
  score?: number,
  event: ReviewEvent['event'] = 'review_resolved',
): ReviewEvent => ({
  ...{ event, review_id, at: '', by, verdict, ...(score === undefined ? {} : { score }) },
});

test.each<[why: string, events: ReviewEvent[], scores: number[] | undefined, verdict: string | undefined]>([
  ['no answer', [request('r', 'e')], undefined, undefined],
  ['one answer', [request('r', 'e'), resolve('r', 'ada', 'pass', 0.8)], [0.8], 'pass'],
  ['a verdict without a score', [request('r', 'e'), resolve('r', 'ada', 'fail')], [0], 'fail'],
  ['two equal answers', [request('r', 'e'), resolve('r', 'ada', 'pass', 1), resolve('r', 'ben', 'pass', 0.6)], [1, 0.6], 'pass'],
  ['a tie', [request('r', 'e'), resolve('r', 'ada', 'pass', 1), resolve('r', 'ben', 'fail', 0)], [1, 0], undefined],
  [
    'an amended answer',
    [request('r', 'e'), resolve('r', 'ada', 'pass', 1), resolve('r', 'ada', 'fail', 0.2, 'review_amended')],
    [0.2],
    'fail',
  ],
  [
    'two reviews of one execution',
    [request('r', 'e'), request('q', 'e', 'requested'), resolve('r', 'a', 'pass', 1), resolve('q', 'a', 'pass', 0.5)],
    [1, 0.5],
    'pass',
  ],
  ['a review of the selection does not count', [request('r', 'e', 'selection'), resolve('r', 'ada', 'fail', 0)], undefined, undefined],
  ['an answer without a request', [resolve('r', 'ada', 'pass', 1)], undefined, undefined],
  ['a score out of range falls back to the verdict', [request('r', 'e'), resolve('r', 'ada', 'pass', 85)], [1], 'pass'],
])('collects verdicts: %s', (_, events, scores, verdict) => {
  const found = collectVerdicts(events).get('e');
  expect([found?.scores, found?.verdict]).toEqual([scores, verdict]);
});
