import { array, boolean, description, metadata, nullable, number, optional, pipe, regex, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import type { Ground } from '#platform/ground-port.ts';
import { type Review, readReviews, reviewsIn } from '../../rules/review-state.ts';

export const ReviewId = pipe(
  string(),
  regex(/^[\w.:-]{1,100}$/, 'may hold letters, digits and . _ : - (at most 100)'),
  description('The review'),
  metadata({ value: 'REVIEW' }),
);

const ResolutionShape = strictObject({
  by: string(),
  verdict: string(),
  score: number(),
  note: optional(string()),
  at: string(),
  isAmended: boolean(),
  isInformed: boolean(),
});

export const ReviewShape = strictObject({
  id: string(),
  status: string(),
  runId: string(),
  executionId: nullable(string()),
  phase: nullable(string()),
  skill: nullable(string()),
  kind: string(),
  goal: nullable(string()),
  reason: string(),
  requestedAt: string(),
  reviewersRequired: number(),
  claims: array(strictObject({ by: string(), until: string() })),
  resolutions: array(ResolutionShape),
  verdict: nullable(string()),
  humanMean: nullable(number()),
  judgeScore: optional(nullable(number())),
});

/** All reviews as they stand, and what could not be read of them. */
export function allReviews(ground: Ground, now: string): { reviews: Review[]; warnings: string[] } {
  const { events, problems } = readReviews(ground.reviews.text());
  const warnings = problems.slice(0, 20).map(({ line, problem }) => `reviews.jsonl: line ${line} ${problem}`);
  return { reviews: reviewsIn(events, now), warnings };
}

export function requireReview(ground: Ground, id: string, now: string): { review: Review; warnings: string[] } {
  const { reviews, warnings } = allReviews(ground, now);
  const review = reviews.find((one) => one.id === id);
  if (!review) throw new CleoError('E_NOT_FOUND', { id, what: 'review', fix: 'cleo review list --status all' });
  return { review, warnings };
}
