/** One part of an answer that has to fit: its items in order of importance, and the command that shows all of them. */
export interface Section<K extends string = string> {
  name: K;
  items: readonly unknown[];
  expand: string;
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
 *  what was left out is set aside first, so that saying it never breaks the budget. */
export function withinBudget<K extends string>(
  sections: readonly Section<K>[],
  budget: number,
  cost: (value: unknown) => number,
): Fitted<K> {
  const noteCost = ({ name, items, expand }: Section): number =>
    items.length === 0 ? 0 : cost({ section: name, count: items.length, expand });
  let left = budget - sections.reduce((sum, section) => sum + noteCost(section), 0);
  const kept = {} as Record<K, number>;
  const omitted: Omission[] = [];
  for (const section of sections) {
    const { name, items, expand } = section;
    const costs = items.map(cost);
    const whole = costs.reduce((sum, each) => sum + each, 0);
    let count = 0;
    if (items.length > 0 && whole <= left + noteCost(section)) {
      left += noteCost(section) - whole;
      count = items.length;
    } else for (; count < items.length && costs[count]! <= left; count += 1) left -= costs[count]!;
    kept[name] = count;
    if (count < items.length) omitted.push({ section: name, count: items.length - count, expand });
  }
  return { kept, omitted };
}
