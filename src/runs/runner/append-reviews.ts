import type { RunnerPlatform } from '#platform/runner/port.ts';
import { buildReviews, parseReviews, type Review } from '../rules/review-state.ts';
import { appendToTrace, type TraceAddition } from './append-to-trace.ts';

/** Appends the verdicts of reviewers to the trace of a run, without their notes. */
export const appendReviews = (platform: RunnerPlatform, runId: string): Promise<string | undefined> =>
  appendToTrace(platform, runId, 'review_resolved', (lines) => {
    const known = new Set(lines.flatMap(({ event, data }) => (event === 'review_resolved' ? [toKey(data)] : [])));
    const reviews = buildReviews(parseReviews(platform.reviews.read()).events, platform.now()).filter((review) => review.runId === runId);
    return reviews.flatMap(toAdditions).filter(({ data }) => !known.has(toKey(data)));
  });

const toKey = ({ review_id, by, at, verdict, score }: Record<string, unknown>): string =>
  JSON.stringify([review_id, by, at, verdict, score]);

const toAdditions = ({ id, kind, status, humanMean, executionId, phase, skill, resolutions }: Review): TraceAddition[] =>
  resolutions.map(({ by, at, verdict, score, isAmended, isInformed }) => ({
    data: {
      review_id: id,
      kind,
      by,
      at,
      verdict,
      score,
      amended: isAmended,
      judge_score_known: isInformed,
      review_status: status,
      human_mean: humanMean,
    },
    subject: {
      ...(executionId ? { execution_id: executionId } : {}),
      ...(phase ? { phase } : {}),
      ...(skill ? { skill } : {}),
    },
  }));
