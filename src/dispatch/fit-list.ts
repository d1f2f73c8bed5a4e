import { listCommandNames } from '#core/command-line.ts';
import type { AnswerOptions, Operation, QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { formatRetry } from '#core/errors/retry.ts';
import { countFitting } from '#lib/budget.ts';
import { defined } from '#lib/collections.ts';
import { toTruncation } from '#lib/page.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { getResultsField, type Outcome } from './dispatch.ts';

type ListContext = Pick<QueryContext, 'toOutput' | 'commandWith'>;

/** Cuts a list to its token budget and adds the command for the next page. If not even one item fits, that command has the budget for
 *  one item. If not even an empty list fits, a query fails with E_VALIDATION; a write returns its shortest answer. */
export function fitList({ toOutput, commandWith }: ListContext, operation: Operation, outcome: Outcome): Outcome {
  const { budget, ...options } = outcome.options;
  const field = getResultsField(operation);
  const items = outcome.result[field];
  if (!budget || !Array.isArray(items)) return { ...outcome, options };
  const { tokens, offset } = budget;

  const takeFirst = (shown: number, next?: string): Outcome => {
    const cut = options.truncated
      ? { ...options.truncated, shown }
      : shown < items.length
        ? toTruncation(shown, offset + items.length)
        : undefined;
    const cutOptions: AnswerOptions = cut ? { ...options, truncated: defined({ ...cut, next }) } : options;
    return { ...outcome, result: { ...outcome.result, [field]: items.slice(0, shown) }, options: cutOptions };
  };
  const countTokens = ({ result, options: shown }: Outcome): number => estimateTokens(toOutput(result, shown));
  const formatNext = (shown: number): string | undefined =>
    shown < items.length || options.truncated?.atLeast || offset + shown < (options.truncated?.total ?? 0)
      ? commandWith({ offset: offset + shown })
      : undefined;

  const shown = countFitting(items.length, tokens, (count) => countTokens(takeFirst(count, formatNext(count))));
  const list = takeFirst(
    shown,
    shown > 0 || items.length === 0 ? formatNext(shown) : commandWith({ budget: countTokens(takeFirst(1, formatNext(1))) }),
  );
  // The next command and the warnings are dropped before the list is.
  const candidates: Outcome[] = [list, takeFirst(shown), { ...takeFirst(shown), options: { ...takeFirst(shown).options, warnings: [] } }];
  const fitting = candidates.find((each) => countTokens(each) <= tokens);
  if (fitting) return fitting;
  const shortest = candidates.at(-1)!;
  if (operation.kind !== 'query') return shortest;
  const minTokens = countTokens(shortest);
  throw new CleoError('E_VALIDATION', {
    field: 'budget',
    problem: `must be at least ${minTokens} for this call`,
    fix: formatRetry({ commandWith }, { budget: minTokens }, `cleo help ${listCommandNames(operation)[0] ?? operation.name}`),
  });
}
