/** One part of an answer that has to fit: its items in order of importance, and the command that shows all of them. */
export interface Section<K extends string = string> {
  name: K;
  items: readonly unknown[];
  expand: string;
  /** Which of the items are only a part of what they stand for. */
  isPart?: readonly boolean[];
  /** How many there are beyond the items, where not all were read. */
  more?: number;
}

export interface Omission {
  section: string;
  count: number;
  expand: string;
}

export interface Fitted<K extends string> {
  /** How many of each section's items there is room for. */
  kept: Record<K, number>;
  omitted: Omission[];
}

/** What fits in a budget, sections in order of importance, each from its beginning; and what does not, with the way to it. Room to say
 *  what was left out is set aside first, so that saying it never breaks the budget; `rest` says it in one for all sections. */
export function withinBudget<K extends string>(
  sections: readonly Section<K>[],
  budget: number,
  cost: (value: unknown) => number,
  rest?: (count: number) => Omission,
): Fitted<K> {
  const noteCost = (section: Section): number => {
    const missing = missingOf(section, 0);
    return missing === 0 || rest ? 0 : cost({ section: section.name, count: missing, expand: section.expand });
  };
  const reserve = rest ? cost(rest(99_999)) : sections.reduce((sum, section) => sum + noteCost(section), 0);
  let left = budget - reserve;
  const kept = {} as Record<K, number>;
  for (const section of sections) {
    const { name, items } = section;
    let count = 0;
    // Without a note the last item may take its room.
    const spare = missingOf(section, items.length) === 0 ? noteCost(section) : 0;
    let used = 0;
    for (; count < items.length; count += 1) {
      const next = used + cost(items[count]);
      if (next > left + (count === items.length - 1 ? spare : 0)) break;
      used = next;
    }
    left += (count === items.length ? spare : 0) - used;
    kept[name] = count;
  }
  return { kept, omitted: omissions(sections, kept, rest) };
}

/** How many of a section's items are not shown, or not whole, when so many are kept. */
export const missingOf = ({ items, isPart = [], more = 0 }: Section, kept: number): number =>
  items.length - kept + more + isPart.slice(0, kept).filter(Boolean).length;

function omissions<K extends string>(
  sections: readonly Section<K>[],
  kept: Record<K, number>,
  rest?: (count: number) => Omission,
): Omission[] {
  const each = sections
    .map((section) => ({ section: section.name, count: missingOf(section, kept[section.name]), expand: section.expand }))
    .filter(({ count }) => count > 0);
  return rest && each.length > 0 ? [rest(each.reduce((sum, { count }) => sum + count, 0))] : each;
}

export interface Measured<A> {
  /** The answer with so many items of each section. */
  build(kept: Record<string, number>, omitted: Omission[]): A;
  /** What it costs as it is printed. */
  tokensOf(answer: A): number;
  /** About what a part of it costs. */
  cost(value: unknown): number;
  /** One note for everything that is left out, where a note for each section would take the room of what could be shown. */
  rest(count: number): Omission;
}

/** The whole answer within its budget: as many items as fit, and what is left out. `least` is the smallest budget that would do,
 *  where not even an answer without any item fits. */
export function filled<K extends string, A>(
  sections: readonly Section<K>[],
  budget: number,
  { build, tokensOf, cost, rest }: Measured<A>,
): { answer: A } | { least: number } {
  const none = Object.fromEntries(sections.map(({ name }) => [name, 0])) as Record<K, number>;
  const room = budget - tokensOf(build(none, []));
  const notes = omissions(sections, none).reduce((sum, note) => sum + cost(note), 0);
  let isMerged = notes * 3 > room;
  let { kept } = withinBudget(sections, room, cost, isMerged ? rest : undefined);
  for (;;) {
    const answer = build(kept, omissions(sections, kept, isMerged ? rest : undefined));
    const over = tokensOf(answer) - budget;
    if (over <= 0) return { answer };
    const fewer = without(sections, kept, over, cost);
    if (fewer) kept = fewer;
    else if (isMerged) return { least: over + budget };
    else isMerged = true;
  }
}

/** The least important items out, until they make up for what is too much; undefined where none is left. */
function without<K extends string>(
  sections: readonly Section<K>[],
  kept: Record<K, number>,
  over: number,
  cost: (value: unknown) => number,
): Record<K, number> | undefined {
  const fewer = { ...kept };
  let gained = 0;
  for (const { name, items } of [...sections].reverse())
    while (fewer[name] > 0 && gained < over) {
      fewer[name] -= 1;
      gained += cost(items[fewer[name]]);
    }
  return gained > 0 ? fewer : undefined;
}

/** How many items of a list fit: the most for which the answer is within the budget. */
export function mostWithin(all: number, budget: number, tokensOf: (count: number) => number): number {
  let fits = 0;
  let fails = all + 1;
  // Looked for from below: a list may be a thousand times as long as what fits.
  for (let next = 1; fails - fits > 1; next = fails > all ? Math.min(all, fits * 2) : (fits + fails) >> 1) {
    if (tokensOf(next) <= budget) fits = next;
    else fails = next;
  }
  return fits;
}

/** A text cut to at most so many characters, with a mark where the rest is missing; never inside a character. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.max(0, most - 1);
  const isInside = /[\ud800-\udbff]/.test(text[end - 1] ?? '');
  return `${text.slice(0, isInside ? end - 1 : end).trimEnd()}…`;
}
