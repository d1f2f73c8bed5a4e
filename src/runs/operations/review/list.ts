import { array, description, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { pageParams, toBudget } from '#core/page.ts';
import { toTruncation } from '#lib/page.ts';
import { listReviews } from '../shared/review-shapes.ts';

const Row = strictObject({
  ...{ id: string(), status: string(), runId: string(), phase: optional(string()), skill: optional(string()), kind: string() },
  ...{ reason: string(), requestedAt: string(), resolved: string(), verdict: optional(string()), humanMean: optional(number()) },
  claimedBy: optional(array(string())),
});

export const reviewList = query({
  name: 'review.list',
  summary: 'List reviews',
  params: strictObject({
    status: optional(
      pipe(
        picklist(['waiting', 'open', 'claimed', 'resolved', 'all']),
        description('Only reviews with this status; waiting means open or claimed'),
      ),
      'waiting',
    ),
    run: optional(pipe(string(), description('Only reviews of this run'))),
    ...pageParams(50),
  }),
  result: strictObject({ reviews: array(Row) }),
  errors: [],
  tier: 2,
  needs: 'project',
  shares: ['reviews', 'runs', 'prunedRuns'],
  cli: { command: ['review list', 'reviews'], view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a', 'review rv-1 of run-a'], call: {} },
  async run({ platform, project, now }, { status, run, limit, offset, budget }) {
    const { reviews: all, warnings } = listReviews(await platform.createRunner(project), now);
    const found = all.filter(
      (review) =>
        (run === undefined || review.runId === run) &&
        (status === 'all' || review.status === status || (status === 'waiting' && review.status !== 'resolved')),
    );
    const reviews = found.slice(offset, offset + limit).map(({ phase, skill, verdict, humanMean, claims, ...review }) => ({
      ...{ id: review.id, status: review.status, runId: review.runId, ...(phase ? { phase } : {}), ...(skill ? { skill } : {}) },
      ...{ kind: review.kind, reason: review.reason, requestedAt: review.requestedAt },
      resolved: `${review.resolutions.length}/${review.reviewersRequired}`,
      ...(claims.length > 0 ? { claimedBy: claims.map(({ by }) => by) } : {}),
      ...(verdict ? { verdict } : {}),
      ...(humanMean === null || verdict === null ? {} : { humanMean }),
    }));
    return answer(
      { reviews },
      {
        ...(reviews.length === 0 ? { exit: 100 as const } : {}),
        warnings,
        truncated: toTruncation(reviews.length, found.length),
        ...toBudget({ limit, offset, budget }),
      },
    );
  },
});
