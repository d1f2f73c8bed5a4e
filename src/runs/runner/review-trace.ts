import type { Ground } from '#platform/ground-port.ts';
import { type Review, reviewsIn } from '../rules/review-state.ts';
import { type Afterword, tellAfter } from './trace-after.ts';

/** Tells the trace of a run what its reviewers have said. Their notes stay where they were written. */
export const tellTrace = (ground: Ground, runId: string): Promise<string | undefined> =>
  tellAfter(ground, runId, 'review_resolved', (lines) => {
    const known = new Set(lines.flatMap(({ event, data }) => (event === 'review_resolved' ? [keyOf(data)] : [])));
    const said = reviewsIn(ground.reviews.read(), ground.now()).filter((review) => review.runId === runId);
    return said.flatMap(resolutionsOf).filter(({ data }) => !known.has(keyOf(data)));
  });

const keyOf = ({ review_id, by, at, verdict, score }: Record<string, unknown>): string =>
  JSON.stringify([review_id, by, at, verdict, score]);

function resolutionsOf(review: Review): Afterword[] {
  const about = {
    ...(review.executionId ? { execution_id: review.executionId } : {}),
    ...(review.phase ? { phase: review.phase } : {}),
    ...(review.skill ? { skill: review.skill } : {}),
  };
  return review.resolutions.map(({ by, at, verdict, score, isAmended, isInformed }) => ({
    data: {
      ...{ review_id: review.id, kind: review.kind, by, at, verdict, score, amended: isAmended, judge_score_known: isInformed },
      ...{ review_status: review.status, human_mean: review.humanMean },
    },
    about,
  }));
}
