import { boolean, description, maxValue, minValue, number, optional, picklist, pipe, strictObject } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { pruneEnded } from '../../runner/prune.ts';
import { tellTrace } from '../../runner/review-trace.ts';
import '../../errors/review.ts';
import { alreadyThere, answer, type JobContext, job } from '#core/define.ts';
import { NoteText } from '#core/model/scalars.ts';
import type { Ground } from '#platform/ground-port.ts';
import type { ReviewEvent } from '../../model/judge.ts';
import { blindTo, mayResolve, type Review, type ReviewAct } from '../../rules/review-state.ts';
import { checkMayJudge, takenBy } from '../shared/may-judge.ts';
import { redactorFor } from '../shared/redaction.ts';
import { ReviewId, ReviewShape, requireReview } from '../shared/shapes.ts';

export const reviewResolve = job({
  name: 'review.resolve',
  summary: 'Say whether the goal was reached, and how well',
  params: strictObject({
    review: ReviewId,
    verdict: pipe(picklist(['pass', 'fail']), description('Whether it was reached')),
    score: pipe(number(), minValue(0, 'must be from 0 to 1'), maxValue(1, 'must be from 0 to 1'), description('How well, from 0 to 1')),
    note: optional(pipe(NoteText, description('Why; secrets in it are hidden before it is kept'))),
    amend: optional(pipe(boolean(), description('Take the place of what you said before'))),
  }),
  result: strictObject({ review: ReviewShape }),
  errors: ['E_NOT_FOUND', 'E_REVIEW_CLAIMED', 'E_REVIEW_RESOLVED', 'E_REVIEW_OWN_WORK'],
  tier: 2,
  needs: 'project',
  redactedParams: ['note'],
  cli: { command: 'review resolve', args: ['review'] },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: { review: 'rv-1', verdict: 'pass', score: 0.9, note: 'All there' } },
  async run(ctx, { review: id, verdict, score, note: written, amend = false }) {
    const { platform, project, caller, now } = ctx;
    const ground = await platform.ground(project);
    const by = caller.agent;
    const asked = requireReview(ground, id, now).review;
    checkMayJudge(ctx, ground, asked);
    const note = written && (await redactorFor(ctx, ground, asked.runId)).text(written);
    const said = { by, verdict, score, ...(note ? { note } : {}) };
    const isNew = await ground.reviews.alone(() => {
      const { review } = requireReview(ground, id, now);
      const may = mayResolve(review, { ...said, isAmend: amend }, now);
      if (may.act === 'refused') throw refusalOf(ctx, review, may.why, note === written ? note : undefined);
      if (may.act === 'same') return false;
      const event: ReviewEvent = { event: may.act === 'amend' ? 'review_amended' : 'review_resolved', review_id: id, at: now, ...said };
      ground.reviews.append(event);
      return true;
    });
    const problems = await told(ground, asked.runId, now);
    const { review, warnings } = requireReview(ground, id, now);
    const result = { review: blindTo(review, by) };
    if (!isNew) return alreadyThere(result);
    ctx.changes.updated.push(id);
    return answer(result, { warnings: [...warnings, ...problems] });
  },
});

/** What was said is kept; that the trace cannot be told is worth a warning, no more. */
async function told(ground: Ground, runId: string, now: string): Promise<string[]> {
  try {
    const problem = await tellTrace(ground, runId);
    const { problem: left } = await pruneEnded(ground, runId, now);
    return [problem, left].flatMap((one) => one ?? []);
  } catch (error) {
    return [`the trace of ${runId} was not told: ${(error as Error).message}`];
  }
}

function refusalOf(
  ctx: JobContext,
  review: Review,
  why: Extract<ReviewAct, { act: 'refused' }>['why'],
  note: string | undefined,
): CleoError {
  if (why === 'taken') return takenBy(review, ctx.now, ctx.caller.agent);
  const show = ctx.commandAs(['review', 'show', review.id]);
  // A command line to be copied holds neither secrets nor what a terminal would obey.
  const again = (amend: true | undefined): string =>
    ctx.commandWith({ amend, note: note && /^[ -~]{1,200}$/.test(note) ? note : undefined });
  const [problem, fix] = {
    said: ['has another verdict of yours', again(true)],
    over: ['is resolved already, by others', show],
    unsaid: ['has no verdict of yours to amend', review.status === 'resolved' ? show : again(undefined)],
  }[why] as [string, string];
  return new CleoError('E_REVIEW_RESOLVED', { review: review.id, problem, fix });
}
