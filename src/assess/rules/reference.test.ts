import { expect, test } from 'vitest';
import type { ExecutionFacts } from '../model/assessment.ts';
import { addSuccess, computeReference, getSkillKey, type Successes } from './reference.ts';

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
const collect = (...before: Partial<ExecutionFacts>[]): Successes => {
  const successes: Successes = new Map();
  for (const one of before) addSuccess(successes, facts(one));
  return successes;
};
const times = (count: number, given: Partial<ExecutionFacts>) => Array.from({ length: count }, () => given);

test.each<[why: string, before: Partial<ExecutionFacts>[], current: Partial<ExecutionFacts>, duration: number | undefined]>([
  ['no successes, no timeout', [], {}, undefined],
  ['no successes, a timeout', [], { timeoutMs: 500 }, 250],
  ['four successes are too few', times(4, {}), { timeoutMs: 500 }, 250],
  ['five successes are enough', times(5, {}), { timeoutMs: 500 }, 10],
  ['failures do not count', times(9, { status: 'failure' }), { timeoutMs: 500 }, 250],
  ['skipped executions do not count', times(9, { isInvoked: false }), { timeoutMs: 500 }, 250],
  ['another skill does not count', times(9, { skill: 'other' }), {}, undefined],
  ['another major version does not count', times(9, { version: '2.0.0' }), {}, undefined],
  ['another minor version counts', times(9, { version: '1.9.0' }), {}, 10],
  ['the last 20 successes', [...times(50, { durationMs: 1000 }), ...times(20, { durationMs: 7 })], {}, 7],
])('usual duration: %s', (_, before, current, duration) => {
  expect(computeReference(collect(...before), facts(current)).durationMs?.value).toBe(duration);
});

test('uses tokens only of successes that report them', () => {
  expect(computeReference(collect(...times(4, { tokens: 9 }), ...times(9, {})), facts({})).tokens).toBeUndefined();
  expect(computeReference(collect(...times(5, { tokens: 9 }), ...times(9, {})), facts({})).tokens).toEqual({
    value: 9,
    source: 'median of 5 successes',
  });
});

test.each([
  ['1.2.3', 's@1'],
  ['12', 's@12'],
  ['next', 's@0'],
])('version %s has key %s', (version, key) => {
  expect(getSkillKey({ skill: 's', version })).toBe(key);
});
