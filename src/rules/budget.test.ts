import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withinBudget } from './budget.ts';

const cost = (value: unknown): number => JSON.stringify(value).length;
const section = (name: string, ...items: unknown[]) => ({ name, items, expand: `cleo ${name}` });

test('everything fits where there is room', () => {
  expect(withinBudget([section('a', 'x', 'y'), section('b')], 1000, cost)).toEqual({ kept: { a: 2, b: 0 }, omitted: [] });
});

test('the most important comes first, and what is left out is told with the way to it', () => {
  const fitted = withinBudget([section('a', 'x'.repeat(40), 'y'.repeat(40)), section('b', 'z'.repeat(200))], 160, cost);
  expect(fitted).toEqual({ kept: { a: 2, b: 0 }, omitted: [{ section: 'b', count: 1, expand: 'cleo b' }] });
});

test('a section is cut from its end', () => {
  const { kept, omitted } = withinBudget([section('a', '1'.repeat(60), '2'.repeat(60), '3'.repeat(60))], 170, cost);
  expect(kept).toEqual({ a: 2 });
  expect(omitted).toEqual([{ section: 'a', count: 1, expand: 'cleo a' }]);
});

test('what is kept, with what is said of the rest, never costs more than the budget', () => {
  const sections = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), items: fc.array(fc.string()), expand: fc.string() }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')), sections, fc.nat(600), (names, shapes, more) => {
      const all = names.flatMap((name, i) => (shapes[i] ? [{ ...shapes[i], name }] : []));
      const saying = all.reduce(
        (sum, s) => sum + (s.items.length ? cost({ section: s.name, count: s.items.length, expand: s.expand }) : 0),
        0,
      );
      const { kept, omitted } = withinBudget(all, saying + more, cost);
      const spent = all.reduce((sum, s) => sum + s.items.slice(0, kept[s.name]).reduce((n, item) => n + cost(item), 0), 0);
      expect(spent + omitted.reduce((sum, o) => sum + cost(o), 0)).toBeLessThanOrEqual(saying + more);
      for (const s of all) expect(kept[s.name]! + (omitted.find((o) => o.section === s.name)?.count ?? 0)).toBe(s.items.length);
    }),
  );
});
