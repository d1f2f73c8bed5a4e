import { description, metadata, optional, pipe, transform } from 'valibot';
import { maxCounted, toTruncation } from '#lib/page.ts';
import type { Page } from '#store/port/page.ts';
import { type Answer, answer } from './define.ts';
import { wholeNumber } from './model/whole-number.ts';

/** The limit of a call with `--limit 0`. Both databases accept it, and no list is as long. */
export const noLimit = 1_000_000_000;

export const limitParam = (limit: number, about = 'Maximum number of results') =>
  optional(
    pipe(
      wholeNumber({ min: 0, max: 10_000 }),
      transform((given) => given || noLimit),
      description(`${about}; 0: no limit`),
    ),
    limit,
  );

/** The largest token budget. */
export const maxTokens = 100_000;

// The minimum depends on the answer. The operation rejects a budget that is too small and names the smallest one that fits.
export const tokensParam = () =>
  pipe(wholeNumber({ min: 1, max: maxTokens }), description('Maximum number of tokens of the whole answer'), metadata({ isRare: true }));
export const budgetParam = (defaultTokens: number) => optional(tokensParam(), defaultTokens);

/** The parameters `--limit`, `--offset` and `--budget` of every list. */
export const pageParams = (limit: number) => ({
  limit: limitParam(limit),
  offset: optional(pipe(wholeNumber({ min: 0, max: 1_000_000_000 }), description('Number of results to skip')), 0),
  budget: optional(tokensParam()),
});

/** The page parameters of a call. */
interface PageRequest extends Page {
  budget?: number | undefined;
}

/** Answers with one page of a list: exit code 100 if it is empty, and `_meta.truncated` if there is more. */
export async function answerPage<R>(
  result: R,
  shown: number,
  page: PageRequest,
  count: (atMost: number) => Promise<number>,
): Promise<Answer<R>> {
  // A page that is not full is the end of the list, so there is nothing to count.
  const isLastPage = shown < page.limit && (shown > 0 || page.offset === 0);
  const truncated = toTruncation(shown, isLastPage ? page.offset + shown : await count(maxCounted));
  return answer(result, { ...(shown === 0 ? { exit: 100 as const } : {}), truncated, ...toBudget(page) });
}

/** Passes the budget to dispatch, which cuts the list: only dispatch knows the whole answer. */
export const toBudget = ({ limit, offset, budget }: PageRequest) =>
  budget === undefined ? {} : { budget: { tokens: budget, offset, limit } };
