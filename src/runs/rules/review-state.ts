import { parseJson } from '#lib/parse-json.ts';
import { mean } from '#lib/statistics.ts';
import type { ReviewEvent } from '../model/judge.ts';

/** Parses reviews.jsonl. Lines that are not events, such as a torn last line, are reported by number and skipped. */
export function parseReviews(text: string): { events: ReviewEvent[]; problems: { line: number; problem: string }[] } {
  const events: ReviewEvent[] = [];
  const problems: { line: number; problem: string }[] = [];
  text.split('\n').forEach((raw, i) => {
    if (raw.trim() === '') return;
    const value = parseJson(raw) as Partial<ReviewEvent> | null | undefined;
    if (['review_id', 'event', 'at', 'by'].every((name) => typeof value?.[name as 'at'] === 'string')) events.push(value as ReviewEvent);
    else problems.push({ line: i + 1, problem: /\}\s*\{/.test(raw) ? 'holds more than one event' : 'is not an event' });
  });
  return { events, problems };
}

export interface ReviewResolution {
  by: string;
  verdict: 'pass' | 'fail';
  score: number;
  note?: string;
  at: string;
  isAmended: boolean;
  /** True if the reviewer had seen the judge's score. */
  isInformed: boolean;
}

/** The current state of a review. */
export interface Review {
  id: string;
  status: 'open' | 'claimed' | 'resolved';
  runId: string;
  executionId: string | null;
  phase: string | null;
  skill: string | null;
  kind: string;
  goal: string | null;
  reason: string;
  requestedAt: string;
  reviewersRequired: number;
  claims: { by: string; until: string }[];
  resolutions: ReviewResolution[];
  /** `pass` if more reviewers passed than failed it; null until all have answered. A tie is a fail. */
  verdict: 'pass' | 'fail' | null;
  /** The mean score of all resolutions. */
  humanMean: number | null;
  judgeScore: number | null;
  revealedTo: string[];
}

/** Folds events into reviews, in the order of the requests. Events of an unknown review, and incomplete ones, are ignored. */
export function buildReviews(events: ReviewEvent[], now: string): Review[] {
  const reviews = new Map<string, Review>();
  for (const event of events) {
    const review = reviews.get(event.review_id);
    if (event.event === 'review_requested') {
      if (!review && typeof event.run_id === 'string') reviews.set(event.review_id, createReview(event));
    } else if (review) applyEvent(review, event);
  }
  return [...reviews.values()].map((review) => concludeReview(review, now));
}

const createReview = (event: ReviewEvent): Review => ({
  id: event.review_id,
  status: 'open',
  runId: event.run_id!,
  executionId: event.execution_id ?? null,
  phase: event.phase ?? null,
  skill: event.skill ?? null,
  kind: event.kind ?? 'requested',
  goal: event.goal ?? null,
  reason: event.reason ?? '',
  requestedAt: event.at,
  reviewersRequired: Math.max(1, Math.trunc(event.reviewers_required ?? 1) || 1),
  claims: [],
  resolutions: [],
  verdict: null,
  humanMean: null,
  judgeScore: event.judge_score ?? null,
  revealedTo: [],
});

function applyEvent(review: Review, { event, by, at, until, verdict, score, note }: ReviewEvent): void {
  const isValid = (verdict === 'pass' || verdict === 'fail') && typeof score === 'number' && score >= 0 && score <= 1;
  const previous = review.resolutions.find((one) => one.by === by);
  if (event === 'review_claimed' && typeof until === 'string') {
    const others = review.claims.filter((claim) => claim.by !== by);
    // The first claim wins: two concurrent claims must not both succeed.
    if (previous || countFreeSlots({ ...review, claims: others }, at) <= 0) return;
    review.claims = [...others, { by, until }];
  } else if (event === 'review_revealed') review.revealedTo = [...new Set([...review.revealedTo, by])];
  else if (isValid && ((event === 'review_resolved' && !previous) || (event === 'review_amended' && previous))) {
    const isInformed = previous?.isInformed ?? review.revealedTo.includes(by);
    const resolution: ReviewResolution = {
      by,
      verdict,
      score,
      ...(note ? { note } : {}),
      at,
      isAmended: previous !== undefined,
      isInformed,
    };
    review.resolutions = previous
      ? review.resolutions.map((one) => (one === previous ? resolution : one))
      : [...review.resolutions, resolution];
    review.claims = review.claims.filter((claim) => claim.by !== by);
  }
}

/** The number of reviewers who can still claim the review. Resolutions and unexpired claims take a slot each. */
export const countFreeSlots = ({ reviewersRequired, resolutions, claims }: Review, now: string): number =>
  reviewersRequired - resolutions.length - claims.filter(({ until }) => until > now).length;

function concludeReview(review: Review, now: string): Review {
  const { resolutions, reviewersRequired } = review;
  const claims = review.claims.filter(({ until }) => until > now);
  const isResolved = resolutions.length >= reviewersRequired;
  const passes = resolutions.filter(({ verdict }) => verdict === 'pass').length;
  return {
    ...review,
    claims: isResolved ? [] : claims,
    status: isResolved ? 'resolved' : claims.length > 0 ? 'claimed' : 'open',
    verdict: isResolved ? (passes * 2 > resolutions.length ? 'pass' : 'fail') : null,
    humanMean: resolutions.length === 0 ? null : round(mean(resolutions.map(({ score }) => score))),
  };
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

export type ResolveDecision =
  | { action: 'resolve' | 'amend' }
  | { action: 'same' }
  | { action: 'reject'; reason: 'claimed' | 'already_resolved' | 'closed' | 'nothing_to_amend' };

/** Decides whether a reviewer may resolve or amend a review now. */
export function decideResolve(
  review: Review,
  {
    by,
    verdict,
    score,
    note,
    isAmend,
  }: { by: string; verdict: 'pass' | 'fail'; score: number; note?: string | undefined; isAmend: boolean },
  now: string,
): ResolveDecision {
  const own = review.resolutions.find((one) => one.by === by);
  const isSame = (one: ReviewResolution): boolean => one.verdict === verdict && one.score === score && (one.note ?? '') === (note ?? '');
  if (own) return isSame(own) ? { action: 'same' } : isAmend ? { action: 'amend' } : { action: 'reject', reason: 'already_resolved' };
  if (isAmend) return { action: 'reject', reason: 'nothing_to_amend' };
  if (review.status === 'resolved') return review.resolutions.some(isSame) ? { action: 'same' } : { action: 'reject', reason: 'closed' };
  const others = { ...review, claims: review.claims.filter((claim) => claim.by !== by) };
  return countFreeSlots(others, now) > 0 ? { action: 'resolve' } : { action: 'reject', reason: 'claimed' };
}

/** The review as one reviewer may see it, without the judge's score, which would bias a reviewer who has not answered yet. */
export function hideJudgeScore(
  { judgeScore, revealedTo, ...review }: Review,
  reviewer: string,
): Omit<Review, 'judgeScore' | 'revealedTo'> & { judgeScore?: number | null } {
  const hasResolved = review.resolutions.some(({ by }) => by === reviewer);
  return { ...review, ...(hasResolved || revealedTo.includes(reviewer) ? { judgeScore } : {}) };
}
