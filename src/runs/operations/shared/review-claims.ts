import { CleoError } from '#core/errors/error.ts';
import { readRunRecord } from '../../runner/stored-runs.ts';
import '../../errors/review.ts';
import type { JobContext } from '#core/define.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { Review } from '../../rules/review-state.ts';

/** Refuses a review by the agent that started the run. A person may review any run, because the skill did the work. */
export async function checkReviewer(ctx: JobContext, runner: RunnerPlatform, { id, runId }: Review): Promise<void> {
  const { agent } = ctx.caller;
  if (readRunRecord(runner, runId)?.agent !== agent || (await ctx.mayHaveScope('decide'))) return;
  throw new CleoError('E_REVIEW_OWN_WORK', { review: id, agent, run: runId });
}

export function createReviewClaimedError(review: Review, now: string, agent: string): CleoError {
  const held = review.claims.filter(({ by, until }) => by !== agent && until > now);
  const until = held.map((claim) => claim.until).sort()[0] ?? now;
  return new CleoError('E_REVIEW_CLAIMED', { review: review.id, holders: held.map(({ by }) => by), until });
}
