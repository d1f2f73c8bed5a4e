import { safeParse } from 'valibot';
import { expect, test } from 'vitest';
import { wholeNumber } from './whole-number.ts';

test.each<[value: unknown, limits: { min: number; max?: number }, problem: string | undefined]>([
  [7, { min: 1, max: 10 }, undefined],
  [1, { min: 1 }, undefined],
  [0, { min: 0 }, undefined],
  [2.5, { min: 0 }, 'must be a whole number'],
  [-1, { min: 0 }, 'must not be negative'],
  [0, { min: 1 }, 'must be at least 1'],
  [11, { min: 1, max: 10 }, 'must be at most 10'],
  ['7', { min: 1 }, 'Invalid type: Expected number but received "7"'],
])('%j with the limits %j: %s', (value, limits, problem) => {
  expect(safeParse(wholeNumber(limits), value).issues?.[0].message).toBe(problem);
});
