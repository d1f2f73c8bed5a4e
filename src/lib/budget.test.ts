import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnswerBuilder, clipText, countFitting, fitAnswer, fitSections, type Omission } from './budget.ts';

const cost = (value: unknown): number => JSON.stringify(value).length;
const section = (name: string, ...items: unknown[]) => ({ name, items, expand: `cleo ${name}` });

test('shows everything if the budget is large enough', () => {
  expect(fitSections([section('a', 'x', 'y'), section('b')], 1000, cost)).toEqual({ kept: { a: 2, b: 0 }, omitted: [] });
});

test('shows the most important section and lists what it omits with a command', () => {
  const fitted = fitSections([section('a', 'x'.repeat(40), 'y'.repeat(40)), section('b', 'z'.repeat(200))], 160, cost);
  expect(fitted).toEqual({ kept: { a: 2, b: 0 }, omitted: [{ section: 'b', count: 1, expand: 'cleo b' }] });
});

test('cuts a section at its end', () => {
  const { kept, omitted } = fitSections([section('a', '1'.repeat(60), '2'.repeat(60), '3'.repeat(60))], 170, cost);
  expect(kept).toEqual({ a: 2 });
  expect(omitted).toEqual([{ section: 'a', count: 1, expand: 'cleo a' }]);
});

test('never exceeds the budget with items and notes', () => {
  const sections = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), items: fc.array(fc.string()), expand: fc.string() }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')), sections, fc.nat(600), (names, shapes, more) => {
      const all = names.flatMap((name, i) => (shapes[i] ? [{ ...shapes[i], name }] : []));
      const noteCost = all.reduce(
        (sum, s) => sum + (s.items.length ? cost({ section: s.name, count: s.items.length, expand: s.expand }) : 0),
        0,
      );
      const { kept, omitted } = fitSections(all, noteCost + more, cost);
      const spent = all.reduce((sum, s) => sum + s.items.slice(0, kept[s.name]).reduce((n, item) => n + cost(item), 0), 0);
      expect(spent + omitted.reduce((sum, o) => sum + cost(o), 0)).toBeLessThanOrEqual(noteCost + more);
      for (const s of all) expect(kept[s.name]! + (omitted.find((o) => o.section === s.name)?.count ?? 0)).toBe(s.items.length);
    }),
  );
});

test('fills an answer up to its budget and merges notes if they take too much space', () => {
  const many = ['a', 'b', 'c', 'd'].map((name) => section(name, ...Array.from({ length: 9 }, (_, i) => `${name}${i}`.repeat(5))));
  const measured: AnswerBuilder<{ kept: object; omitted: Omission[]; items: unknown[][] }> = {
    build: (kept, omitted) => ({ kept, omitted, items: many.map((s) => s.items.slice(0, kept[s.name])) }),
    countTokens: cost,
    estimateCost: cost,
    omitRest: (count: number) => ({ section: 'rest', count, expand: 'cleo all' }),
  };
  for (let budget = 150; budget < 1200; budget += 7) {
    const found = fitAnswer(many, budget, measured);
    if (!('answer' in found)) {
      expect(found.minBudget).toBeGreaterThan(budget);
      expect(fitAnswer(many, found.minBudget, measured)).toHaveProperty('answer');
      continue;
    }
    expect(cost(found.answer)).toBeLessThanOrEqual(budget);
    const shown = found.answer.items.flat().length;
    expect(shown + found.answer.omitted.reduce((sum, note) => sum + note.count, 0)).toBe(36);
  }
});

test.each([
  [0, 10, 0],
  [5, 0, 0],
  [5, 10, 1],
  [5, 29, 2],
  [5, 1000, 5],
  [1000, 5000, 500],
])('of %i items at 10 tokens each, a budget of %i fits %i', (total, budget, max) => {
  let calls = 0;
  const found = countFitting(total, budget, (count) => {
    calls += 1;
    return count * 10;
  });
  expect(found).toBe(max);
  expect(calls).toBeLessThan(25);
});

test.each([
  ['short', 10, 'short'],
  ['a longer text', 9, 'a longer…'],
  ['a long er', 8, 'a long…'],
  ['ab🍳🍳', 4, 'ab…'],
  ['ab🍳🍳', 5, 'ab🍳…'],
  ['x', 0, '…'],
])('clips %j to %i characters: %j', (text, maxLength, clipped) => {
  expect(clipText(text, maxLength)).toBe(clipped);
});
