import { expect, test } from 'vitest';
import { measureGuesses } from './logistic.ts';

/** `+0.8 -0.1`: a positive case predicted as 0.8, and a negative one as 0.1. */
test.each<[guesses: string, auc: number, brier: number, accuracy: number]>([
  ['-0.1 -0.4 +0.35 +0.8', 0.75, 0.158125, 0.75],
  ['+1 -0', 1, 0, 1],
  ['+0 -1', 0, 1, 0],
  ['+0.5 -0.5', 0.5, 0.25, 0.5],
  ['+0.6 +0.6 -0.6 -0.2', 0.75, 0.18, 0.75],
  ['+0.9 -0.3 -0.3 -0.9', 2.5 / 3, 0.25, 0.75],
])('measures %s', (guesses, auc, brier, accuracy) => {
  const found = measureGuesses(guesses.split(' ').map((word) => ({ isPositive: word.startsWith('+'), guess: Number(word.slice(1)) })));
  expect(found.auc).toBeCloseTo(auc, 12);
  expect(found.brier).toBeCloseTo(brier, 12);
  expect(found.accuracy).toBe(accuracy);
});
