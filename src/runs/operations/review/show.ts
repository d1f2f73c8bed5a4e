import { optional, strictObject } from 'valibot';
import { answer, query } from '#core/define.ts';
import { blindTo } from '../../rules/review-state.ts';
import { ReviewId, ReviewShape, requireReview } from '../shared/shapes.ts';
import { SubjectShape, subjectOf } from '../shared/subject.ts';

export const reviewShow = query({
  name: 'review.show',
  summary: 'Show what is to be judged, and what was said of it; the judge only to who has spoken',
  params: strictObject({ review: ReviewId }),
  result: strictObject({ review: ReviewShape, subject: optional(SubjectShape) }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  needs: 'project',
  cli: { command: 'review show', args: ['review'] },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: { review: 'rv-1' } },
  async run({ platform, project, caller, now }, { review: id }) {
    const ground = await platform.ground(project);
    const { review, warnings } = requireReview(ground, id, now);
    const subject = subjectOf(ground, review);
    return answer({ review: blindTo(review, caller.agent), ...(subject ? { subject } : {}) }, { warnings });
  },
});
