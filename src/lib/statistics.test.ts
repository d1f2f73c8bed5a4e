import { expect, test } from 'vitest';
import { formatPercent, mean, median, toPercent } from './statistics.ts';

test.each<[values: number[], average: number, middle: number | undefined]>([
  [[], 0, undefined],
  [[3], 3, 3],
  [[4, 1], 2.5, 2.5],
  [[10, 1, 1], 4, 1],
  [[9, 1, 2, 4], 4, 3],
])('of %j the mean is %d and the median %d', (values, average, middle) => {
  expect(mean(values)).toBe(average);
  expect(median(values)).toBe(middle);
});

test.each([
  [0, 0],
  [0.29, 29],
  [2 / 3, 66],
  [0.999, 99],
  [1, 100],
])('%d is %i percent', (share, percent) => {
  expect(toPercent(share)).toBe(percent);
  expect(formatPercent(share)).toBe(`${percent} %`);
});
