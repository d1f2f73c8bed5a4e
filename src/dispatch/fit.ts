import type { AnswerOptions, Operation, QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { mostWithin } from '#lib/budget.ts';
import { cutOf } from '#lib/page.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { type Done, resultsFieldOf } from './envelope.ts';

type Paper = Pick<QueryContext, 'toOutput' | 'commandWith'>;

/** A list within its budget: items from the top, as many as fit with everything around them, and the command that goes on from there.
 *  Where nothing fits, that command has the budget for the first; where not even an empty list does, the call is refused (6), unless it has
 *  done something: then the answer is as short as it can be. */
export function fitList({ toOutput, commandWith }: Paper, operation: Operation, done: Done): Done {
  const { budget, ...more } = done.more;
  const field = resultsFieldOf(operation);
  const items = done.result[field];
  if (!budget || !Array.isArray(items)) return { ...done, more };
  const { tokens, offset } = budget;

  const first = (shown: number, next?: string): Done => {
    const cut = more.truncated ? { ...more.truncated, shown } : shown < items.length ? cutOf(shown, offset + items.length) : undefined;
    const said: AnswerOptions = cut ? { ...more, truncated: { ...cut, ...(next === undefined ? {} : { next }) } } : more;
    return { ...done, result: { ...done.result, [field]: items.slice(0, shown) }, more: said };
  };
  const costOf = ({ result, more: said }: Done): number => estimateTokens(toOutput(result, said));
  const goingOn = (shown: number): string | undefined =>
    shown < items.length || more.truncated?.atLeast || offset + shown < (more.truncated?.total ?? 0)
      ? commandWith({ offset: offset + shown })
      : undefined;

  const shown = mostWithin(items.length, tokens, (count) => costOf(first(count, goingOn(count))));
  const list = first(shown, shown > 0 || items.length === 0 ? goingOn(shown) : commandWith({ budget: costOf(first(1, goingOn(1))) }));
  // What a caller cannot do without is the list; the rest goes before it does.
  const barer: Done[] = [list, first(shown), { ...first(shown), more: { ...first(shown).more, warnings: [] } }];
  const fitting = barer.find((each) => costOf(each) <= tokens);
  if (fitting) return fitting;
  const barest = barer.at(-1)!;
  if (operation.kind !== 'query') return barest;
  const least = costOf(barest);
  throw new CleoError('E_VALIDATION', { field: 'budget', problem: `must be at least ${least} here`, fix: commandWith({ budget: least }) });
}
