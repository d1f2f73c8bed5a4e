import type { ReviewEvent } from '../model/judge.ts';
import { type Review, reviewsIn } from '../rules/review-state.ts';
import type { Run } from './run-state.ts';

export interface About {
  execution_id: string;
  phase: string;
  skill: string;
}

export interface Wanted {
  kind: NonNullable<ReviewEvent['kind']>;
  goal: string | null;
  reason: string;
  /** What a judge said before. */
  score: number | null;
}

/** Asks people. While a question is open it is one review, however often it is asked; once it is answered, asking again is another.
 *  The review that it is. */
export function openReview(run: Run, about: About, { kind, goal, reason, score }: Wanted): string {
  const { ground, record, request, redactor } = run;
  const known = new Map(reviewsIn(ground.reviews.read(), ground.now()).map((review) => [review.id, review]));
  let id = '';
  for (let times = 0; id === '' || known.get(id)?.status === 'resolved'; times += 1)
    id = `rv-${ground.hash([about.execution_id, kind, ...(times === 0 ? [] : [times])].join(':')).slice(0, 10)}`;
  if (known.has(id)) return id;
  const event: ReviewEvent = {
    ...{ event: 'review_requested', review_id: id, at: ground.now(), by: 'runner', run_id: record.run_id, ...about, kind, goal, reason },
    ...{ reviewers_required: request.construct.reviewersRequired, judge_score: score },
  };
  ground.reviews.append(redactor.value(event) as ReviewEvent);
  run.tell('review_requested', { review_id: id, kind, reason }, { ...about });
  return id;
}

export const reviewBy = ({ ground }: Run, id: string): Review | undefined =>
  reviewsIn(ground.reviews.read(), ground.now()).find((review) => review.id === id);
