import { array, boolean, description, metadata, nullable, number, optional, pipe, regex, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { buildReviews, parseReviews, type Review } from '../../rules/review-state.ts';

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

/** All reviews; lines that are not events are warnings. */
export function listReviews(runner: RunnerPlatform, now: string): { reviews: Review[]; warnings: string[] } {
  const { events, problems } = parseReviews(runner.reviews.read());
  const warnings = problems.slice(0, 20).map(({ line, problem }) => `reviews.jsonl: line ${line} ${problem}`);
  return { reviews: buildReviews(events, now), warnings };
}

export function requireReview(runner: RunnerPlatform, id: string, now: string): { review: Review; warnings: string[] } {
  const { reviews, warnings } = listReviews(runner, now);
  const review = reviews.find((one) => one.id === id);
  if (!review)
    throw new CleoError('E_NOT_FOUND', {
      id,
      what: 'review',
      fix: reviews.length > 0 ? 'cleo review list --status all' : 'cleo help review',
    });
  return { review, warnings };
}
