import { strictObject } from 'valibot';
import { alreadyExists, answer, job } from '#core/define.ts';
import { hideJudgeScore } from '../../rules/review-state.ts';
import { ReviewId, ReviewShape, requireReview } from '../shared/review-shapes.ts';

export const reviewReveal = job({
  name: 'review.reveal',
  summary: 'Show a review with the judge score and record that',
  params: strictObject({ review: ReviewId }),
  result: strictObject({ review: ReviewShape }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  needs: 'project',
  shares: ['reviews', 'runs', 'prunedRuns'],
  cli: { command: 'review show', args: ['review'], select: 'reveal', view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: { review: 'rv-1' } },
  async run({ platform, project, caller, now, changes }, { review: id }) {
    const runner = await platform.createRunner(project);
    const by = caller.agent;
    const { review } = requireReview(runner, id, now);
    if (review.revealedTo.includes(by) || review.resolutions.some((one) => one.by === by))
      return alreadyExists({ review: hideJudgeScore(review, by) });
    runner.reviews.append({ event: 'review_revealed', review_id: id, at: now, by });
    changes.updated.push(id);
    const { review: seen, warnings } = requireReview(runner, id, now);
    return answer({ review: hideJudgeScore(seen, by) }, { warnings });
  },
});
