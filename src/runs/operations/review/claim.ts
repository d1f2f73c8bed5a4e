import { strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors/review.ts';
import { answer, job } from '#core/define.ts';
import { countFreeSlots, hideJudgeScore } from '../../rules/review-state.ts';
import { checkReviewer, createReviewClaimedError } from '../shared/review-claims.ts';
import { ReviewId, ReviewShape, requireReview } from '../shared/review-shapes.ts';

const claimMs = 60 * 60_000;

export const reviewClaim = job({
  name: 'review.claim',
  summary: 'Claim a review for an hour',
  params: strictObject({ review: ReviewId }),
  result: strictObject({ review: ReviewShape, until: string() }),
  errors: ['E_NOT_FOUND', 'E_REVIEW_CLAIMED', 'E_REVIEW_RESOLVED', 'E_REVIEW_OWN_WORK'],
  tier: 2,
  needs: 'project',
  shares: ['reviews', 'runs', 'prunedRuns'],
  cli: { command: 'review claim', args: ['review'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: { review: 'rv-1' } },
  async run(ctx, { review: id }) {
    const { platform, project, caller, now } = ctx;
    const runner = await platform.createRunner(project);
    const by = caller.agent;
    const until = new Date(Date.parse(now) + claimMs).toISOString();
    await checkReviewer(ctx, runner, requireReview(runner, id, now).review);
    await runner.reviews.withLock(() => {
      const { review } = requireReview(runner, id, now);
      if (review.status === 'resolved' || review.resolutions.some((one) => one.by === by))
        throw new CleoError('E_REVIEW_RESOLVED', {
          review: id,
          problem: review.status === 'resolved' ? 'is resolved' : 'already has your verdict',
          fix: `cleo review show ${id}`,
        });
      if (countFreeSlots({ ...review, claims: review.claims.filter((claim) => claim.by !== by) }, now) <= 0)
        throw createReviewClaimedError(review, now, by);
      runner.reviews.append({ event: 'review_claimed', review_id: id, at: now, by, until });
    });
    ctx.changes.updated.push(id);
    const { review, warnings } = requireReview(runner, id, now);
    return answer({ review: hideJudgeScore(review, by), until }, { warnings });
  },
});
