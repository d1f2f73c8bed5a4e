import { expect, test } from 'vitest';
import type { ReviewEvent } from '../model/judge.ts';
import { buildReviews, decideResolve, hideJudgeScore, parseReviews, type Review } from './review-state.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const request = (more: Partial<ReviewEvent> = {}): ReviewEvent => ({
  ...{ event: 'review_requested', review_id: 'rv-1', at: at(0), by: 'runner', run_id: 'run-1', reviewers_required: 1, judge_score: 0.4 },
  ...more,
});
const claim = (by: string, minute: number): ReviewEvent => ({
  event: 'review_claimed',
  review_id: 'rv-1',
  at: at(minute),
  by,
  until: at(minute + 60),
});
const resolve = (by: string, verdict: 'pass' | 'fail', score: number, more: Partial<ReviewEvent> = {}): ReviewEvent => ({
  ...{ event: 'review_resolved', review_id: 'rv-1', at: at(5), by, verdict, score },
  ...more,
});
const reveal = (by: string): ReviewEvent => ({ event: 'review_revealed', review_id: 'rv-1', at: at(1), by });
const state = (events: ReviewEvent[], minute = 10): Review => buildReviews(events, at(minute))[0]!;

test.each<[string, ReviewEvent[], Partial<Review>]>([
  ['is requested', [request()], { status: 'open', verdict: null, humanMean: null }],
  ['is claimed', [request(), claim('ada', 1)], { status: 'claimed', claims: [{ by: 'ada', until: at(61) }] }],
  ['has an expired claim', [request(), claim('ada', -60)], { status: 'open', claims: [] }],
  [
    'is claimed by two reviewers: the first wins',
    [request(), claim('ada', 1), claim('bob', 2)],
    { claims: [{ by: 'ada', until: at(61) }] },
  ],
  ['is claimed again by its holder', [request(), claim('ada', 1), claim('ada', 5)], { claims: [{ by: 'ada', until: at(65) }] }],
  ['is claimed after the first claim expired', [request(), claim('ada', -61), claim('bob', 2)], { claims: [{ by: 'bob', until: at(62) }] }],
  [
    'is resolved',
    [request(), claim('ada', 1), resolve('ada', 'pass', 0.9)],
    { status: 'resolved', verdict: 'pass', humanMean: 0.9, claims: [] },
  ],
  [
    'needs a second reviewer',
    [request({ reviewers_required: 2 }), resolve('ada', 'pass', 1)],
    { status: 'open', verdict: null, humanMean: 1 },
  ],
  [
    'has a tie',
    [request({ reviewers_required: 2 }), resolve('ada', 'pass', 1), resolve('bob', 'fail', 0)],
    { status: 'resolved', verdict: 'fail', humanMean: 0.5 },
  ],
  [
    'has a majority',
    [request({ reviewers_required: 3 }), resolve('a', 'pass', 1), resolve('b', 'fail', 0), resolve('c', 'pass', 0.7)],
    { verdict: 'pass', humanMean: 0.5667 },
  ],
  [
    'is amended',
    [request(), resolve('ada', 'pass', 1), resolve('ada', 'fail', 0.1, { event: 'review_amended' })],
    { verdict: 'fail', humanMean: 0.1 },
  ],
  [
    'is resolved twice by one reviewer: the first counts',
    [request(), resolve('ada', 'pass', 1), resolve('ada', 'fail', 0)],
    { verdict: 'pass', humanMean: 1 },
  ],
  [
    'is amended by a reviewer without a resolution',
    [request(), resolve('ada', 'fail', 0, { event: 'review_amended' })],
    { status: 'open' },
  ],
  [
    'is requested twice',
    [request(), resolve('ada', 'pass', 1), request({ reviewers_required: 9 })],
    { status: 'resolved', reviewersRequired: 1 },
  ],
  [
    'has invalid resolutions',
    [request(), resolve('ada', 'pass', 7), resolve('ada', 'odd' as 'pass', 1), claim('x', 1)],
    { status: 'claimed', resolutions: [] },
  ],
  ['has an invalid number of reviewers', [request({ reviewers_required: Number.NaN })], { reviewersRequired: 1 }],
])('a review that %s', (_, events, expected) => {
  expect(state(events)).toMatchObject(expected);
});

test('ignores events of a review that was never requested', () => {
  expect(buildReviews([resolve('ada', 'pass', 1), claim('ada', 1), { ...request(), run_id: undefined as never }], at(1))).toEqual([]);
});

const two = request({ reviewers_required: 2 });
test.each<[string, ReviewEvent[], { by?: string; verdict?: 'pass' | 'fail'; note?: string; isAmend?: boolean }, object]>([
  ['as the first reviewer', [request()], {}, { action: 'resolve' }],
  ['with an own claim', [request(), claim('ada', 1)], {}, { action: 'resolve' }],
  ['while another reviewer holds a claim', [request(), claim('bob', 1)], {}, { action: 'reject', reason: 'claimed' }],
  ['while another reviewer holds a claim and two are needed', [two, claim('bob', 1)], {}, { action: 'resolve' }],
  ['while two other reviewers hold a claim', [two, claim('bob', 1), claim('eve', 1)], {}, { action: 'reject', reason: 'claimed' }],
  ['with the same answer again', [request(), resolve('ada', 'pass', 1)], {}, { action: 'same' }],
  ['with the same answer as an amendment', [request(), resolve('ada', 'pass', 1)], { isAmend: true }, { action: 'same' }],
  [
    'with a different verdict',
    [request(), resolve('ada', 'pass', 1)],
    { verdict: 'fail' },
    { action: 'reject', reason: 'already_resolved' },
  ],
  ['with a different note', [request(), resolve('ada', 'pass', 1)], { note: 'why' }, { action: 'reject', reason: 'already_resolved' }],
  [
    'with a different verdict as an amendment',
    [request(), resolve('ada', 'pass', 1)],
    { verdict: 'fail', isAmend: true },
    { action: 'amend' },
  ],
  ['with the same answer as another reviewer', [request(), resolve('bob', 'pass', 1)], {}, { action: 'same' }],
  ['after it was resolved', [request(), resolve('bob', 'fail', 0)], {}, { action: 'reject', reason: 'closed' }],
  ['as an amendment of nothing', [request()], { isAmend: true }, { action: 'reject', reason: 'nothing_to_amend' }],
])('decides about a reviewer who resolves %s', (_, events, { by = 'ada', verdict = 'pass', note, isAmend = false }, expected) => {
  expect(decideResolve(state(events), { by, verdict, score: 1, note, isAmend }, at(10))).toEqual(expected);
});

test('hides the score of the judge until the reviewer has resolved or revealed it', () => {
  expect(hideJudgeScore(state([request()]), 'ada')).not.toHaveProperty('judgeScore');
  expect(hideJudgeScore(state([request(), resolve('bob', 'pass', 1)]), 'ada')).not.toHaveProperty('judgeScore');
  expect(hideJudgeScore(state([request(), resolve('ada', 'pass', 1)]), 'ada')).toMatchObject({ judgeScore: 0.4 });
  expect(hideJudgeScore(state([request(), reveal('ada')]), 'ada')).toMatchObject({ judgeScore: 0.4 });
  expect(state([request(), reveal('ada'), resolve('ada', 'pass', 1)]).resolutions).toMatchObject([{ isInformed: true }]);
  expect(state([request(), resolve('ada', 'pass', 1), reveal('ada')]).resolutions).toMatchObject([{ isInformed: false }]);
});

test('reports torn, joined and invalid lines by number and reads the rest', () => {
  const line = JSON.stringify(request());
  const { events, problems } = parseReviews(`${line}\n${line}${line}\n\njunk\nnull\n{"event":"x"}\n${line}\n{"ev`);
  expect(events).toHaveLength(2);
  expect(problems).toEqual([
    { line: 2, problem: 'holds more than one event' },
    { line: 4, problem: 'is not an event' },
    { line: 5, problem: 'is not an event' },
    { line: 6, problem: 'is not an event' },
    { line: 8, problem: 'is not an event' },
  ]);
});
