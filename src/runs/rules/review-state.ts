import type { ReviewEvent } from '../model/judge.ts';

/** The lines of reviews.jsonl, and those that are no events, by number. What was cut off at the end is left out like any other. */
export function readReviews(text: string): { events: ReviewEvent[]; problems: { line: number; problem: string }[] } {
  const events: ReviewEvent[] = [];
  const problems: { line: number; problem: string }[] = [];
  text.split('\n').forEach((raw, i) => {
    if (raw.trim() === '') return;
    try {
      const value = JSON.parse(raw) as Partial<ReviewEvent> | null;
      if (['review_id', 'event', 'at', 'by'].every((name) => typeof value?.[name as 'at'] === 'string')) events.push(value as ReviewEvent);
      else problems.push({ line: i + 1, problem: 'is no event' });
    } catch {
      problems.push({ line: i + 1, problem: /\}\s*\{/.test(raw) ? 'holds more than one event' : 'is no event' });
    }
  });
  return { events, problems };
}

export interface Resolution {
  by: string;
  verdict: 'pass' | 'fail';
  score: number;
  note?: string;
  at: string;
  isAmended: boolean;
  /** The judge's score was known to whoever said it. */
  isInformed: boolean;
}

/** What is true of a review now. */
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
  resolutions: Resolution[];
  /** More passes than failures, once everybody has spoken; a tie is no pass. */
  verdict: 'pass' | 'fail' | null;
  /** Of everybody who has spoken. */
  humanMean: number | null;
  judgeScore: number | null;
  revealedTo: string[];
}

/** All reviews, in the order they were asked for. What is true follows from the lines in their order; a line about a review that nobody
 *  asked for, or that says nothing, changes nothing. */
export function reviewsIn(events: ReviewEvent[], now: string): Review[] {
  const reviews = new Map<string, Review>();
  for (const event of events) {
    const review = reviews.get(event.review_id);
    if (event.event === 'review_requested') {
      if (!review && typeof event.run_id === 'string') reviews.set(event.review_id, asked(event));
    } else if (review) step(review, event);
  }
  return [...reviews.values()].map((review) => concluded(review, now));
}

const asked = (event: ReviewEvent): Review => ({
  ...{ id: event.review_id, status: 'open', runId: event.run_id!, executionId: event.execution_id ?? null },
  ...{ phase: event.phase ?? null, skill: event.skill ?? null, kind: event.kind ?? 'requested', goal: event.goal ?? null },
  ...{ reason: event.reason ?? '', requestedAt: event.at, reviewersRequired: Math.max(1, Math.trunc(event.reviewers_required ?? 1) || 1) },
  ...{ claims: [], resolutions: [], verdict: null, humanMean: null, judgeScore: event.judge_score ?? null, revealedTo: [] },
});

function step(review: Review, { event, by, at, until, verdict, score, note }: ReviewEvent): void {
  const isSaid = (verdict === 'pass' || verdict === 'fail') && typeof score === 'number' && score >= 0 && score <= 1;
  const known = review.resolutions.find((one) => one.by === by);
  if (event === 'review_claimed' && typeof until === 'string') {
    const others = review.claims.filter((claim) => claim.by !== by);
    // Who asked first has it: two that ask at once cannot both be told that they do.
    if (known || placesLeft({ ...review, claims: others }, at) <= 0) return;
    review.claims = [...others, { by, until }];
  } else if (event === 'review_revealed') review.revealedTo = [...new Set([...review.revealedTo, by])];
  else if (isSaid && ((event === 'review_resolved' && !known) || (event === 'review_amended' && known))) {
    const isInformed = known?.isInformed ?? review.revealedTo.includes(by);
    const said: Resolution = { by, verdict, score, ...(note ? { note } : {}), at, isAmended: known !== undefined, isInformed };
    review.resolutions = known ? review.resolutions.map((one) => (one === known ? said : one)) : [...review.resolutions, said];
    review.claims = review.claims.filter((claim) => claim.by !== by);
  }
}

/** How many more may take it on: those who have spoken, and those who are at it, count. */
export const placesLeft = ({ reviewersRequired, resolutions, claims }: Review, now: string): number =>
  reviewersRequired - resolutions.length - claims.filter(({ until }) => until > now).length;

function concluded(review: Review, now: string): Review {
  const { resolutions, reviewersRequired } = review;
  const claims = review.claims.filter(({ until }) => until > now);
  const isResolved = resolutions.length >= reviewersRequired;
  const passes = resolutions.filter(({ verdict }) => verdict === 'pass').length;
  return {
    ...review,
    claims: isResolved ? [] : claims,
    status: isResolved ? 'resolved' : claims.length > 0 ? 'claimed' : 'open',
    verdict: isResolved ? (passes * 2 > resolutions.length ? 'pass' : 'fail') : null,
    humanMean: resolutions.length === 0 ? null : round(resolutions.reduce((sum, { score }) => sum + score, 0) / resolutions.length),
  };
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

export type ReviewAct = { act: 'resolve' | 'amend' } | { act: 'same' } | { act: 'refused'; why: 'taken' | 'said' | 'over' | 'unsaid' };

/** Whether this reviewer may say this now. */
export function mayResolve(
  review: Review,
  {
    by,
    verdict,
    score,
    note,
    isAmend,
  }: { by: string; verdict: 'pass' | 'fail'; score: number; note?: string | undefined; isAmend: boolean },
  now: string,
): ReviewAct {
  const own = review.resolutions.find((one) => one.by === by);
  const isSame = (one: Resolution): boolean => one.verdict === verdict && one.score === score && (one.note ?? '') === (note ?? '');
  if (own) return isSame(own) ? { act: 'same' } : isAmend ? { act: 'amend' } : { act: 'refused', why: 'said' };
  if (isAmend) return { act: 'refused', why: 'unsaid' };
  if (review.status === 'resolved') return review.resolutions.some(isSame) ? { act: 'same' } : { act: 'refused', why: 'over' };
  const others = { ...review, claims: review.claims.filter((claim) => claim.by !== by) };
  return placesLeft(others, now) > 0 ? { act: 'resolve' } : { act: 'refused', why: 'taken' };
}

/** A review as this reviewer may see it: what the judge said would sway whoever has not spoken yet. */
export function blindTo(
  { judgeScore, revealedTo, ...review }: Review,
  reviewer: string,
): Omit<Review, 'judgeScore' | 'revealedTo'> & { judgeScore?: number | null } {
  const hasSpoken = review.resolutions.some(({ by }) => by === reviewer);
  return { ...review, ...(hasSpoken || revealedTo.includes(reviewer) ? { judgeScore } : {}) };
}
