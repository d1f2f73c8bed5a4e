/** One list of an answer with a token budget: its items, most important first, and the command that shows all of them. */
export interface Section<K extends string = string> {
  name: K;
  items: readonly unknown[];
  expand: string;
  /** Marks the items that are shortened. */
  isPart?: readonly boolean[];
  /** The number of items that were not read. */
  more?: number;
}

export interface Omission {
  section: string;
  count: number;
  expand: string;
}

interface FittedSections<K extends string> {
  /** The number of items that fit, by section. */
  kept: Record<K, number>;
  omitted: Omission[];
}

/** Fits sections into a budget, most important section first. Space for the notes about omitted items is reserved first, so that the
 *  notes never exceed the budget. With `omitRest`, one note covers all sections. */
export function fitSections<K extends string>(
  sections: readonly Section<K>[],
  budget: number,
  estimateCost: (value: unknown) => number,
  omitRest?: (count: number) => Omission,
): FittedSections<K> {
  const noteCost = (section: Section): number => {
    const missing = countMissing(section, 0);
    return missing === 0 || omitRest ? 0 : estimateCost({ section: section.name, count: missing, expand: section.expand });
  };
  const reserve = omitRest ? estimateCost(omitRest(99_999)) : sections.reduce((sum, section) => sum + noteCost(section), 0);
  let left = budget - reserve;
  const kept = {} as Record<K, number>;
  for (const section of sections) {
    const { name, items } = section;
    let count = 0;
    // If all items fit, the section needs no note, and the last item may use its space.
    const spare = countMissing(section, items.length) === 0 ? noteCost(section) : 0;
    let used = 0;
    for (; count < items.length; count += 1) {
      const next = used + estimateCost(items[count]);
      if (next > left + (count === items.length - 1 ? spare : 0)) break;
      used = next;
    }
    left += (count === items.length ? spare : 0) - used;
    kept[name] = count;
  }
  return { kept, omitted: listOmissions(sections, kept, omitRest) };
}

/** Counts the items of a section that are omitted or shortened if `kept` items are shown. */
export const countMissing = ({ items, isPart = [], more = 0 }: Section, kept: number): number =>
  items.length - kept + more + isPart.slice(0, kept).filter(Boolean).length;

function listOmissions<K extends string>(
  sections: readonly Section<K>[],
  kept: Record<K, number>,
  omitRest?: (count: number) => Omission,
): Omission[] {
  const each = sections
    .map((section) => ({ section: section.name, count: countMissing(section, kept[section.name]), expand: section.expand }))
    .filter(({ count }) => count > 0);
  return omitRest && each.length > 0 ? [omitRest(each.reduce((sum, { count }) => sum + count, 0))] : each;
}

export interface AnswerBuilder<A> {
  /** Builds the answer with `kept` items of each section. */
  build(kept: Record<string, number>, omitted: Omission[]): A;
  /** Counts the tokens of the printed answer. */
  countTokens(answer: A): number;
  /** Estimates the tokens of one part. */
  estimateCost(value: unknown): number;
  /** Creates one note for all sections, for budgets in which a note for each section would displace items. */
  omitRest(count: number): Omission;
}

/** Builds the answer with as many items as fit into the budget. Returns `minBudget` if not even an answer without items fits. */
export function fitAnswer<K extends string, A>(
  sections: readonly Section<K>[],
  budget: number,
  { build, countTokens, estimateCost, omitRest }: AnswerBuilder<A>,
): { answer: A } | { minBudget: number } {
  const nothing = Object.fromEntries(sections.map(({ name }) => [name, 0])) as Record<K, number>;
  const available = budget - countTokens(build(nothing, []));
  const notes = listOmissions(sections, nothing).reduce((sum, note) => sum + estimateCost(note), 0);
  let isMerged = notes * 3 > available;
  let { kept } = fitSections(sections, available, estimateCost, isMerged ? omitRest : undefined);
  for (;;) {
    const answer = build(kept, listOmissions(sections, kept, isMerged ? omitRest : undefined));
    const over = countTokens(answer) - budget;
    if (over <= 0) return { answer };
    const fewer = dropItems(sections, kept, over, estimateCost);
    if (fewer) kept = fewer;
    else if (isMerged) return { minBudget: over + budget };
    else isMerged = true;
  }
}

/** Drops the least important items until `over` tokens are saved. Undefined if no item is left. */
function dropItems<K extends string>(
  sections: readonly Section<K>[],
  kept: Record<K, number>,
  over: number,
  estimateCost: (value: unknown) => number,
): Record<K, number> | undefined {
  const fewer = { ...kept };
  let gained = 0;
  for (const { name, items } of [...sections].reverse())
    while (fewer[name] > 0 && gained < over) {
      fewer[name] -= 1;
      gained += estimateCost(items[fewer[name]]);
    }
  return gained > 0 ? fewer : undefined;
}

/** Counts the items of a list that fit into a budget. */
export function countFitting(total: number, budget: number, countTokens: (count: number) => number): number {
  let fits = 0;
  let fails = total + 1;
  // The search grows from one item, because a list may be a thousand times as long as what fits.
  for (let next = 1; fails - fits > 1; next = fails > total ? Math.min(total, fits * 2) : (fits + fails) >> 1) {
    if (countTokens(next) <= budget) fits = next;
    else fails = next;
  }
  return fits;
}

/** Shortens a text to `maxLength` characters, with `…` at its end. It never cuts a surrogate pair. */
export function clipText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = Math.max(0, maxLength - 1);
  const isInside = /[\ud800-\udbff]/.test(text[end - 1] ?? '');
  return `${text.slice(0, isInside ? end - 1 : end).trimEnd()}…`;
}
