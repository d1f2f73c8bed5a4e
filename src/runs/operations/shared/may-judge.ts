import { CleoError } from '#core/errors/error.ts';
import { recordOf } from '../../runner/kept-runs.ts';
import '../../errors/review.ts';
import type { JobContext } from '#core/define.ts';
import type { Ground } from '#platform/ground-port.ts';
import { isByPerson } from '#sessions/operations/shared/person.ts';
import type { Review } from '../../rules/review-state.ts';

/** Nobody judges work of their own: an agent that had a run done does not judge it. A person does, since what a person runs is a
 *  skill's work. */
export function checkMayJudge(ctx: JobContext, ground: Ground, { id, runId }: Review): void {
  const { agent } = ctx.caller;
  if (recordOf(ground, runId)?.agent !== agent || isByPerson(ctx)) return;
  throw new CleoError('E_REVIEW_OWN_WORK', { review: id, agent, run: runId });
}

export function takenBy(review: Review, now: string, agent: string): CleoError {
  const held = review.claims.filter(({ by, until }) => by !== agent && until > now);
  const until = held.map((claim) => claim.until).sort()[0] ?? now;
  return new CleoError('E_REVIEW_CLAIMED', { review: review.id, holders: held.map(({ by }) => by), until });
}
