import { expect, test } from 'vitest';
import type { ReviewEvent } from '#runs/model/judge.ts';
import { verdictsIn } from './verdicts.ts';

const asked = (review_id: string, execution_id: string, kind: ReviewEvent['kind'] = 'goal'): ReviewEvent => ({
  ...{ event: 'review_requested', review_id, at: '', by: 'runner', execution_id, kind },
});
const said = (
  review_id: string,
  by: string,
  verdict: 'pass' | 'fail',
  score?: number,
  event: ReviewEvent['event'] = 'review_resolved',
): ReviewEvent => ({
  ...{ event, review_id, at: '', by, verdict, ...(score === undefined ? {} : { score }) },
});

test.each<[why: string, events: ReviewEvent[], scores: number[] | undefined, verdict: string | undefined]>([
  ['asked and not answered', [asked('r', 'e')], undefined, undefined],
  ['one answer', [asked('r', 'e'), said('r', 'ada', 'pass', 0.8)], [0.8], 'pass'],
  ['a verdict without a score', [asked('r', 'e'), said('r', 'ada', 'fail')], [0], 'fail'],
  ['two who agree', [asked('r', 'e'), said('r', 'ada', 'pass', 1), said('r', 'ben', 'pass', 0.6)], [1, 0.6], 'pass'],
  ['two who do not', [asked('r', 'e'), said('r', 'ada', 'pass', 1), said('r', 'ben', 'fail', 0)], [1, 0], undefined],
  [
    'a second word replaces the first',
    [asked('r', 'e'), said('r', 'ada', 'pass', 1), said('r', 'ada', 'fail', 0.2, 'review_amended')],
    [0.2],
    'fail',
  ],
  [
    'two questions of one execution',
    [asked('r', 'e'), asked('q', 'e', 'requested'), said('r', 'a', 'pass', 1), said('q', 'a', 'pass', 0.5)],
    [1, 0.5],
    'pass',
  ],
  ['whether it was the right skill is another matter', [asked('r', 'e', 'selection'), said('r', 'ada', 'fail', 0)], undefined, undefined],
  ['an answer to what nobody asked', [said('r', 'ada', 'pass', 1)], undefined, undefined],
  ['a score out of range is that of the verdict', [asked('r', 'e'), said('r', 'ada', 'pass', 85)], [1], 'pass'],
])('%s', (_, events, scores, verdict) => {
  const found = verdictsIn(events).get('e');
  expect([found?.scores, found?.verdict]).toEqual([scores, verdict]);
});
