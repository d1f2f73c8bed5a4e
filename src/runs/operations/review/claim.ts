import { strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors/review.ts';
import { answer, job } from '#core/define.ts';
import { blindTo, placesLeft } from '../../rules/review-state.ts';
import { checkMayJudge, takenBy } from '../shared/may-judge.ts';
import { ReviewId, ReviewShape, requireReview } from '../shared/shapes.ts';

const lastsMs = 60 * 60_000;

export const reviewClaim = job({
  name: 'review.claim',
  summary: 'Take a review on for an hour, so that nobody else does',
  params: strictObject({ review: ReviewId }),
  result: strictObject({ review: ReviewShape, until: string() }),
  errors: ['E_NOT_FOUND', 'E_REVIEW_CLAIMED', 'E_REVIEW_RESOLVED', 'E_REVIEW_OWN_WORK'],
  tier: 2,
  needs: 'project',
  cli: { command: 'review claim', args: ['review'] },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: { review: 'rv-1' } },
  async run(ctx, { review: id }) {
    const { platform, project, caller, now } = ctx;
    const ground = await platform.ground(project);
    const by = caller.agent;
    const until = new Date(Date.parse(now) + lastsMs).toISOString();
    checkMayJudge(ctx, ground, requireReview(ground, id, now).review);
    await ground.reviews.alone(() => {
      const { review } = requireReview(ground, id, now);
      if (review.status === 'resolved' || review.resolutions.some((one) => one.by === by))
        throw new CleoError('E_REVIEW_RESOLVED', {
          review: id,
          problem: review.status === 'resolved' ? 'is resolved' : 'has your verdict already',
          fix: `cleo review show ${id}`,
        });
      if (placesLeft({ ...review, claims: review.claims.filter((claim) => claim.by !== by) }, now) <= 0) throw takenBy(review, now, by);
      ground.reviews.append({ event: 'review_claimed', review_id: id, at: now, by, until });
    });
    ctx.changes.updated.push(id);
    const { review, warnings } = requireReview(ground, id, now);
    return answer({ review: blindTo(review, by), until }, { warnings });
  },
});
