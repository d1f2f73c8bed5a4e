import { boolean, description, maxValue, minValue, number, optional, picklist, pipe, strictObject } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { appendReviews } from '../../runner/append-reviews.ts';
import { pruneFinishedRun } from '../../runner/prune.ts';
import '../../errors/review.ts';
import { alreadyExists, answer, type JobContext, job } from '#core/define.ts';
import { NoteText } from '#core/model/texts.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { ReviewEvent } from '../../model/judge.ts';
import { decideResolve, hideJudgeScore, type ResolveDecision, type Review } from '../../rules/review-state.ts';
import { createReviewClaimedError } from '../shared/review-claims.ts';
import { createReviewRedactor } from '../shared/review-redactor.ts';
import { ReviewId, ReviewShape, requireReview } from '../shared/review-shapes.ts';

export const reviewResolve = job({
  name: 'review.resolve',
  summary: 'Resolve a review with a verdict and a score',
  params: strictObject({
    review: ReviewId,
    verdict: pipe(picklist(['pass', 'fail']), description('Whether the goal was reached')),
    score: pipe(number(), minValue(0, 'must be from 0 to 1'), maxValue(1, 'must be from 0 to 1'), description('Score from 0 to 1')),
    note: optional(pipe(NoteText, description('Reason; secrets in it are redacted'))),
    amend: optional(pipe(boolean(), description('Replace your earlier verdict'))),
  }),
  result: strictObject({ review: ReviewShape }),
  errors: ['E_NOT_FOUND', 'E_REVIEW_CLAIMED', 'E_REVIEW_RESOLVED'],
  tier: 2,
  needs: 'project',
  scope: 'decide',
  redactedParams: ['note'],
  shares: ['reviews', 'runs', 'prunedRuns'],
  cli: { command: 'review resolve', args: ['review'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: { review: 'rv-1', verdict: 'pass', score: 0.9, note: 'All there' } },
  async run(ctx, { review: id, verdict, score, note: text, amend = false }) {
    const { platform, project, caller, now } = ctx;
    const runner = await platform.createRunner(project);
    const by = caller.agent;
    const requested = requireReview(runner, id, now).review;
    const note = text && (await createReviewRedactor(ctx, runner, requested.runId)).text(text);
    const resolution = { by, verdict, score, ...(note ? { note } : {}) };
    const isNew = await runner.reviews.withLock(() => {
      const { review } = requireReview(runner, id, now);
      const decision = decideResolve(review, { ...resolution, isAmend: amend }, now);
      if (decision.action === 'reject') throw createResolveError(ctx, review, decision.reason, note === text ? note : undefined);
      if (decision.action === 'same') return false;
      const event: ReviewEvent = {
        event: decision.action === 'amend' ? 'review_amended' : 'review_resolved',
        review_id: id,
        at: now,
        ...resolution,
      };
      runner.reviews.append(event);
      return true;
    });
    const problems = await updateTrace(runner, requested.runId, now);
    const { review, warnings } = requireReview(runner, id, now);
    const result = { review: hideJudgeScore(review, by) };
    if (!isNew) return alreadyExists(result);
    ctx.changes.updated.push(id);
    return answer(result, { warnings: [...warnings, ...problems] });
  },
});

/** Appends the verdict to the trace of the run. A failure is a warning, because the verdict itself is stored. */
async function updateTrace(runner: RunnerPlatform, runId: string, now: string): Promise<string[]> {
  try {
    const problem = await appendReviews(runner, runId);
    const { problem: pruneProblem } = await pruneFinishedRun(runner, runId, now);
    return [problem, pruneProblem].flatMap((one) => one ?? []);
  } catch (error) {
    return [`the trace of ${runId} was not updated: ${(error as Error).message}`];
  }
}

function createResolveError(
  ctx: JobContext,
  review: Review,
  reason: Extract<ResolveDecision, { action: 'reject' }>['reason'],
  note: string | undefined,
): CleoError {
  if (reason === 'claimed') return createReviewClaimedError(review, ctx.now, ctx.caller.agent);
  const show = ctx.commandAs(['review', 'show', review.id]);
  // The suggested command must not contain secrets or control characters.
  const suggest = (amend: true | undefined): string =>
    ctx.commandWith({ amend, note: note && /^[ -~]{1,200}$/.test(note) ? note : undefined });
  const [problem, fix] = {
    already_resolved: ['already has another verdict of yours', suggest(true)],
    closed: ['was already resolved by others', show],
    nothing_to_amend: ['has no verdict of yours to amend', review.status === 'resolved' ? show : suggest(undefined)],
  }[reason] as [string, string];
  return new CleoError('E_REVIEW_RESOLVED', { review: review.id, problem, fix });
}
