import { expect, test } from 'vitest';
import { toTruncation } from './page.ts';

test.each([
  { shown: 5, total: 5, cut: undefined },
  { shown: 0, total: 0, cut: undefined },
  { shown: 50, total: 812, cut: { shown: 50, total: 812 } },
  { shown: 50, total: 1000, cut: { shown: 50, total: 1000 } },
  { shown: 50, total: 1001, cut: { shown: 50, total: 1000, atLeast: true } },
  { shown: 1200, total: 1201, cut: { shown: 1200, total: 1000, atLeast: true } },
])('$shown of $total', ({ shown, total, cut }) => {
  expect(toTruncation(shown, total)).toEqual(cut);
});
