import { expect, test } from 'vitest';
import { toTruncation } from './page.ts';

test.each([
  { shown: 5, total: 5, truncation: undefined },
  { shown: 0, total: 0, truncation: undefined },
  { shown: 50, total: 812, truncation: { shown: 50, total: 812 } },
  { shown: 50, total: 1000, truncation: { shown: 50, total: 1000 } },
  { shown: 50, total: 1001, truncation: { shown: 50, total: 1000, atLeast: true } },
  { shown: 1200, total: 1201, truncation: { shown: 1200, total: 1000, atLeast: true } },
])('describes $shown of $total', ({ shown, total, truncation }) => {
  expect(toTruncation(shown, total)).toEqual(truncation);
});
