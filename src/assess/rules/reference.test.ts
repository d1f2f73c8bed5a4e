import { expect, test } from 'vitest';
import type { ExecutionFacts } from '../model/assessment.ts';
import { median, referenceOf, remember, type Successes, skillKey } from './reference.ts';

const facts = (given: Partial<ExecutionFacts>): ExecutionFacts =>
  ({
    skill: 's',
    version: '1.0.0',
    status: 'success',
    isInvoked: true,
    attempts: 1,
    timeoutMs: null,
    durationMs: 10,
    tokens: null,
    ...given,
  }) as ExecutionFacts;
const after = (...before: Partial<ExecutionFacts>[]): Successes => {
  const successes: Successes = new Map();
  for (const one of before) remember(successes, facts(one));
  return successes;
};
const times = (count: number, given: Partial<ExecutionFacts>) => Array.from({ length: count }, () => given);

test.each<[why: string, before: Partial<ExecutionFacts>[], of: Partial<ExecutionFacts>, duration: number | undefined]>([
  ['nothing before, no limit', [], {}, undefined],
  ['nothing before, a limit', [], { timeoutMs: 500 }, 250],
  ['four are too few', times(4, {}), { timeoutMs: 500 }, 250],
  ['five are enough', times(5, {}), { timeoutMs: 500 }, 10],
  ['failures do not count', times(9, { status: 'failure' }), { timeoutMs: 500 }, 250],
  ['nor what never ran', times(9, { isInvoked: false }), { timeoutMs: 500 }, 250],
  ['another skill', times(9, { skill: 'other' }), {}, undefined],
  ['another major version', times(9, { version: '2.0.0' }), {}, undefined],
  ['another minor version is the same', times(9, { version: '1.9.0' }), {}, 10],
  ['of many the last twenty', [...times(50, { durationMs: 1000 }), ...times(20, { durationMs: 7 })], {}, 7],
])('%s', (_, before, of, duration) => {
  expect(referenceOf(after(...before), facts(of)).durationMs?.value).toBe(duration);
});

test('tokens are those of the successes that report them', () => {
  expect(referenceOf(after(...times(4, { tokens: 9 }), ...times(9, {})), facts({})).tokens).toBeUndefined();
  expect(referenceOf(after(...times(5, { tokens: 9 }), ...times(9, {})), facts({})).tokens).toEqual({
    value: 9,
    source: 'median of 5 successes',
  });
});

test.each([
  [[3], 3],
  [[1, 9], 5],
  [[9, 1, 5], 5],
  [[10, 9, 100, 1], 9.5],
])('the median of %j is %d', (values, middle) => {
  expect(median(values)).toBe(middle);
});

test.each([
  ['1.2.3', 's@1'],
  ['12', 's@12'],
  ['next', 's@0'],
])('version %s is %s', (version, key) => {
  expect(skillKey({ skill: 's', version })).toBe(key);
});
