import type { ReviewEvent } from '../model/judge.ts';
import { buildReviews, parseReviews, type Review } from '../rules/review-state.ts';
import { getSubject, type NamedExecution } from './gates.ts';
import type { RunContext } from './run-context.ts';

interface ReviewRequest {
  kind: NonNullable<ReviewEvent['kind']>;
  goal: string | null;
  reason: string;
  /** Score of the judge, if there is one. */
  score: number | null;
}

/** The part of a run that opening a review needs. */
type ReviewContext = Pick<RunContext, 'platform' | 'redactor' | 'emit'> & {
  record: Pick<RunContext['record'], 'run_id'>;
  request: { construct: Pick<RunContext['request']['construct'], 'reviewersRequired'> };
};

/** Opens a review and returns its id. A question that is still open keeps its review; after a resolved review a new one is opened. */
export function openReview(run: ReviewContext, execution: NamedExecution, { kind, goal, reason, score }: ReviewRequest): string {
  const { platform, record, request, redactor } = run;
  const known = new Map(listAllReviews(run).map((review) => [review.id, review]));
  const subject = getSubject(execution);
  let id = '';
  for (let count = 0; id === '' || known.get(id)?.status === 'resolved'; count += 1)
    id = `rv-${platform.hash([execution.id, kind, ...(count === 0 ? [] : [count])].join(':')).slice(0, 10)}`;
  if (known.has(id)) return id;
  const event: ReviewEvent = {
    event: 'review_requested',
    review_id: id,
    at: platform.now(),
    by: 'runner',
    run_id: record.run_id,
    ...subject,
    kind,
    goal,
    reason,
    reviewers_required: request.construct.reviewersRequired,
    judge_score: score,
  };
  platform.reviews.append(redactor.value(event) as ReviewEvent);
  run.emit('review_requested', { review_id: id, kind, reason }, subject);
  return id;
}

export const findReview = (run: RunContext, id: string): Review | undefined => listAllReviews(run).find((review) => review.id === id);

const listAllReviews = ({ platform }: Pick<RunContext, 'platform'>): Review[] =>
  buildReviews(parseReviews(platform.reviews.read()).events, platform.now());
