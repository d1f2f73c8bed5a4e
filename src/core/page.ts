import { description, optional, pipe } from 'valibot';
import { maxCounted, toTruncation } from '#lib/page.ts';
import type { Page } from '#store/port/page.ts';
import { type Answer, answer } from './define.ts';
import { wholeNumber } from './model/whole-number.ts';

export const limitParam = (limit: number, about = 'How many at most') =>
  optional(pipe(wholeNumber({ min: 1, max: 10_000 }), description(about)), limit);

/** The largest budget that can be asked for. */
export const maxTokens = 100_000;

// How little is too little depends on what the answer has to say in any case; whoever makes it refuses that with the least that would do.
export const tokensParam = () => pipe(wholeNumber({ min: 1, max: maxTokens }), description('Tokens that the whole answer may have'));
export const budgetParam = (defaultTokens: number) => optional(tokensParam(), defaultTokens);

/** `--limit`, `--offset` and `--budget` of every list. */
export const pageParams = (limit: number) => ({
  limit: limitParam(limit),
  offset: optional(pipe(wholeNumber({ min: 0, max: 1_000_000_000 }), description('How many to skip')), 0),
  budget: optional(tokensParam()),
});

/** A page as a caller asks for it. */
export interface PageRequest extends Page {
  budget?: number | undefined;
}

/** One page of a list: 100 where it is empty, and `_meta.truncated` where there is more than it shows. */
export async function answerPage<R>(
  result: R,
  shown: number,
  page: PageRequest,
  count: (atMost: number) => Promise<number>,
): Promise<Answer<R>> {
  // A page that is not full ends the list, so there is nothing to count.
  const isLastPage = shown < page.limit && (shown > 0 || page.offset === 0);
  const truncated = toTruncation(shown, isLastPage ? page.offset + shown : await count(maxCounted));
  return answer(result, { ...(shown === 0 ? { exit: 100 as const } : {}), truncated, ...toBudget(page) });
}

/** Where a list is to fit, dispatch cuts it: only there the whole answer is known. */
export const toBudget = ({ limit, offset, budget }: PageRequest) =>
  budget === undefined ? {} : { budget: { tokens: budget, offset, limit } };
