import { optional, strictObject } from 'valibot';
import { answer, query } from '#core/define.ts';
import { hideJudgeScore } from '../../rules/review-state.ts';
import { ReviewId, ReviewShape, requireReview } from '../shared/review-shapes.ts';
import { describeSubject, SubjectShape } from '../shared/review-subject.ts';

export const reviewShow = query({
  name: 'review.show',
  summary: 'Show a review and the execution it is about',
  params: strictObject({ review: ReviewId }),
  result: strictObject({ review: ReviewShape, subject: optional(SubjectShape) }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  needs: 'project',
  shares: ['reviews', 'runs', 'prunedRuns'],
  cli: { command: 'review show', args: ['review'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: { review: 'rv-1' } },
  async run({ platform, project, caller, now }, { review: id }) {
    const runner = await platform.createRunner(project);
    const { review, warnings } = requireReview(runner, id, now);
    const subject = describeSubject(runner, review);
    return answer({ review: hideJudgeScore(review, caller.agent), ...(subject ? { subject } : {}) }, { warnings });
  },
});
