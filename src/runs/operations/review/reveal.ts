import { strictObject } from 'valibot';
import { alreadyThere, answer, job } from '#core/define.ts';
import { blindTo } from '../../rules/review-state.ts';
import { ReviewId, ReviewShape, requireReview } from '../shared/shapes.ts';

export const reviewReveal = job({
  name: 'review.reveal',
  summary: 'Show a review with what the judge said, and note that it was known',
  params: strictObject({ review: ReviewId }),
  result: strictObject({ review: ReviewShape }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  needs: 'project',
  cli: { command: 'review show', args: ['review'], select: 'reveal' },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: { review: 'rv-1' } },
  async run({ platform, project, caller, now, changes }, { review: id }) {
    const ground = await platform.ground(project);
    const by = caller.agent;
    const { review } = requireReview(ground, id, now);
    if (review.revealedTo.includes(by) || review.resolutions.some((one) => one.by === by))
      return alreadyThere({ review: blindTo(review, by) });
    ground.reviews.append({ event: 'review_revealed', review_id: id, at: now, by });
    changes.updated.push(id);
    const { review: seen, warnings } = requireReview(ground, id, now);
    return answer({ review: blindTo(seen, by) }, { warnings });
  },
});
