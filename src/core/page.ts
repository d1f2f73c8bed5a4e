import { description, integer, maxValue, minValue, number, optional, pipe } from 'valibot';
import { countedTo, cutOf } from '#lib/page.ts';
import type { Page } from '#store/port.ts';
import { type Answer, answer } from './define.ts';

export const limitParam = (limit: number, about = 'How many at most') =>
  optional(
    pipe(
      number(),
      integer('must be a whole number'),
      minValue(1, 'must be at least 1'),
      maxValue(10_000, 'must be at most 10000'),
      description(about),
    ),
    limit,
  );

/** The largest budget that can be asked for. */
export const mostTokens = 100_000;

// How little is too little depends on what the answer has to say in any case; whoever makes it refuses that with the least that would do.
export const tokens = () =>
  pipe(
    number(),
    integer('must be a whole number'),
    minValue(1, 'must be at least 1'),
    maxValue(mostTokens, `must be at most ${mostTokens}`),
    description('Tokens that the whole answer may have'),
  );
export const budgetParam = (unlessSaid: number) => optional(tokens(), unlessSaid);

/** `--limit`, `--offset` and `--budget` of every list. */
export const pageParams = (limit: number) => ({
  limit: limitParam(limit),
  offset: optional(
    pipe(
      number(),
      integer('must be a whole number'),
      minValue(0, 'must not be negative'),
      maxValue(1_000_000_000, 'must be at most 1000000000'),
      description('How many to skip'),
    ),
    0,
  ),
  budget: optional(tokens()),
});

/** A page as a caller asks for it. */
export interface AskedPage extends Page {
  budget?: number | undefined;
}

/** One page of a list: 100 where it is empty, and `_meta.truncated` where there is more than it shows. */
export async function paged<R>(result: R, shown: number, page: AskedPage, count: (atMost: number) => Promise<number>): Promise<Answer<R>> {
  // A page that is not full ends the list, so there is nothing to count.
  const isLast = shown < page.limit && (shown > 0 || page.offset === 0);
  const truncated = cutOf(shown, isLast ? page.offset + shown : await count(countedTo));
  return answer(result, { ...(shown === 0 ? { exit: 100 as const } : {}), truncated, ...budgetOf(page) });
}

/** Where a list is to fit, dispatch cuts it: only there the whole answer is known. */
export const budgetOf = ({ limit, offset, budget }: AskedPage) =>
  budget === undefined ? {} : { budget: { tokens: budget, offset, limit } };
