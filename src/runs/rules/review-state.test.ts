import { expect, test } from 'vitest';
import type { ReviewEvent } from '../model/judge.ts';
import { blindTo, mayResolve, type Review, readReviews, reviewsIn } from './review-state.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const asked = (more: Partial<ReviewEvent> = {}): ReviewEvent => ({
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
const say = (by: string, verdict: 'pass' | 'fail', score: number, more: Partial<ReviewEvent> = {}): ReviewEvent => ({
  ...{ event: 'review_resolved', review_id: 'rv-1', at: at(5), by, verdict, score },
  ...more,
});
const reveal = (by: string): ReviewEvent => ({ event: 'review_revealed', review_id: 'rv-1', at: at(1), by });
const state = (events: ReviewEvent[], minute = 10): Review => reviewsIn(events, at(minute))[0]!;

test.each<[string, ReviewEvent[], Partial<Review>]>([
  ['waits', [asked()], { status: 'open', verdict: null, humanMean: null }],
  ['is claimed', [asked(), claim('ada', 1)], { status: 'claimed', claims: [{ by: 'ada', until: at(61) }] }],
  ['was claimed, an hour ago', [asked(), claim('ada', -60)], { status: 'open', claims: [] }],
  ['is claimed by who was first', [asked(), claim('ada', 1), claim('bob', 2)], { claims: [{ by: 'ada', until: at(61) }] }],
  ['is claimed anew by its holder', [asked(), claim('ada', 1), claim('ada', 5)], { claims: [{ by: 'ada', until: at(65) }] }],
  ['is claimed after another let it lapse', [asked(), claim('ada', -61), claim('bob', 2)], { claims: [{ by: 'bob', until: at(62) }] }],
  ['is resolved', [asked(), claim('ada', 1), say('ada', 'pass', 0.9)], { status: 'resolved', verdict: 'pass', humanMean: 0.9, claims: [] }],
  ['waits for a second', [asked({ reviewers_required: 2 }), say('ada', 'pass', 1)], { status: 'open', verdict: null, humanMean: 1 }],
  [
    'has a tie',
    [asked({ reviewers_required: 2 }), say('ada', 'pass', 1), say('bob', 'fail', 0)],
    { status: 'resolved', verdict: 'fail', humanMean: 0.5 },
  ],
  [
    'has a majority',
    [asked({ reviewers_required: 3 }), say('a', 'pass', 1), say('b', 'fail', 0), say('c', 'pass', 0.7)],
    { verdict: 'pass', humanMean: 0.5667 },
  ],
  [
    'is amended',
    [asked(), say('ada', 'pass', 1), say('ada', 'fail', 0.1, { event: 'review_amended' })],
    { verdict: 'fail', humanMean: 0.1 },
  ],
  ['is resolved twice by one', [asked(), say('ada', 'pass', 1), say('ada', 'fail', 0)], { verdict: 'pass', humanMean: 1 }],
  ['is amended by who had said nothing', [asked(), say('ada', 'fail', 0, { event: 'review_amended' })], { status: 'open' }],
  ['is asked for twice', [asked(), say('ada', 'pass', 1), asked({ reviewers_required: 9 })], { status: 'resolved', reviewersRequired: 1 }],
  ['says nothing', [asked(), say('ada', 'pass', 7), say('ada', 'odd' as 'pass', 1), claim('x', 1)], { status: 'claimed', resolutions: [] }],
  ['has odd numbers', [asked({ reviewers_required: Number.NaN })], { reviewersRequired: 1 }],
])('a review that %s', (_, events, expected) => {
  expect(state(events)).toMatchObject(expected);
});

test('lines about a review that nobody asked for change nothing', () => {
  expect(reviewsIn([say('ada', 'pass', 1), claim('ada', 1), { ...asked(), run_id: undefined as never }], at(1))).toEqual([]);
});

const two = asked({ reviewers_required: 2 });
test.each<[string, ReviewEvent[], { by?: string; verdict?: 'pass' | 'fail'; note?: string; isAmend?: boolean }, object]>([
  ['first', [asked()], {}, { act: 'resolve' }],
  ['with a claim of their own', [asked(), claim('ada', 1)], {}, { act: 'resolve' }],
  ['while another is at it', [asked(), claim('bob', 1)], {}, { act: 'refused', why: 'taken' }],
  ['while another is at it, and two are needed', [two, claim('bob', 1)], {}, { act: 'resolve' }],
  ['while two others are at it', [two, claim('bob', 1), claim('eve', 1)], {}, { act: 'refused', why: 'taken' }],
  ['the same again', [asked(), say('ada', 'pass', 1)], {}, { act: 'same' }],
  ['the same again, amending', [asked(), say('ada', 'pass', 1)], { isAmend: true }, { act: 'same' }],
  ['something else', [asked(), say('ada', 'pass', 1)], { verdict: 'fail' }, { act: 'refused', why: 'said' }],
  ['another note', [asked(), say('ada', 'pass', 1)], { note: 'why' }, { act: 'refused', why: 'said' }],
  ['something else, amending', [asked(), say('ada', 'pass', 1)], { verdict: 'fail', isAmend: true }, { act: 'amend' }],
  ['what another has said', [asked(), say('bob', 'pass', 1)], {}, { act: 'same' }],
  ['after it is over', [asked(), say('bob', 'fail', 0)], {}, { act: 'refused', why: 'over' }],
  ['amending nothing', [asked()], { isAmend: true }, { act: 'refused', why: 'unsaid' }],
])('who speaks %s', (_, events, { by = 'ada', verdict = 'pass', note, isAmend = false }, expected) => {
  expect(mayResolve(state(events), { by, verdict, score: 1, note, isAmend }, at(10))).toEqual(expected);
});

test('the judge is heard after the reviewer has spoken, or asked to hear it', () => {
  expect(blindTo(state([asked()]), 'ada')).not.toHaveProperty('judgeScore');
  expect(blindTo(state([asked(), say('bob', 'pass', 1)]), 'ada')).not.toHaveProperty('judgeScore');
  expect(blindTo(state([asked(), say('ada', 'pass', 1)]), 'ada')).toMatchObject({ judgeScore: 0.4 });
  expect(blindTo(state([asked(), reveal('ada')]), 'ada')).toMatchObject({ judgeScore: 0.4 });
  expect(state([asked(), reveal('ada'), say('ada', 'pass', 1)]).resolutions).toMatchObject([{ isInformed: true }]);
  expect(state([asked(), say('ada', 'pass', 1), reveal('ada')]).resolutions).toMatchObject([{ isInformed: false }]);
});

test('torn, glued and junk lines are told by number, and the rest is read', () => {
  const line = JSON.stringify(asked());
  const { events, problems } = readReviews(`${line}\n${line}${line}\n\njunk\nnull\n{"event":"x"}\n${line}\n{"ev`);
  expect(events).toHaveLength(2);
  expect(problems).toEqual([
    { line: 2, problem: 'holds more than one event' },
    { line: 4, problem: 'is no event' },
    { line: 5, problem: 'is no event' },
    { line: 6, problem: 'is no event' },
    { line: 8, problem: 'is no event' },
  ]);
});
