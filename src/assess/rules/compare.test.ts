import { describe, expect, test } from 'vitest';
import type { CompareVerdict } from '../model/assessment.ts';
import { compareExecutions, type ScoredExecution } from './compare.ts';
import { bootstrapMean, bootstrapSeed, computeNewcombeInterval, computeWilsonInterval, createRandom } from './intervals.ts';

describe('intervals', () => {
  // Published in Newcombe (1998), Statistics in Medicine 17, 873-890, method 10.
  test.each<[one: [number, number], other: [number, number], low: number, high: number]>([
    [[56, 70], [48, 80], 0.0524, 0.3339],
    [[9, 10], [3, 10], 0.1705, 0.809],
    [[6, 7], [2, 7], 0.0582, 0.8062],
    [[5, 56], [0, 29], -0.0381, 0.1926],
    [[0, 10], [0, 20], -0.1611, 0.2775],
    [[0, 10], [0, 10], -0.2775, 0.2775],
    [[10, 10], [0, 20], 0.6791, 1],
    [[10, 10], [0, 10], 0.6075, 1],
  ])('of the difference of %j and %j', (one, other, low, high) => {
    const found = computeNewcombeInterval({ passed: other[0], all: other[1] }, { passed: one[0], all: one[1] });
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  test('Wilson intervals stay between 0 and 1', () => {
    expect(computeWilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(computeWilsonInterval(0, 10).low).toBe(0);
    expect(computeWilsonInterval(10, 10).high).toBeCloseTo(1, 12);
    expect(computeWilsonInterval(81, 263)).toMatchObject({ low: expect.closeTo(0.2553, 3), high: expect.closeTo(0.3662, 3) });
  });
});

describe('bootstrap', () => {
  test('random numbers are reproducible', () => {
    const [one, other] = [createRandom(bootstrapSeed), createRandom(bootstrapSeed)];
    const values = Array.from({ length: 1000 }, one);
    expect(Array.from({ length: 1000 }, other)).toEqual(values);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(values.reduce((sum, value) => sum + value, 0) / 1000).toBeCloseTo(0.5, 1);
    expect(new Set(values).size).toBe(1000);
  });

  test('the interval contains the mean and grows with the spread', () => {
    expect(bootstrapMean([4, 4, 4, 4, 4])).toEqual({ mean: 4, low: 4, high: 4 });
    const { mean, low, high } = bootstrapMean([0, 10, 0, 10, 0, 10, 0, 10]);
    expect(mean).toBe(5);
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(2.6);
    expect(high).toBeGreaterThan(7.4);
    expect(high).toBeLessThan(10);
    expect(bootstrapMean([1, 2, 30])).toEqual(bootstrapMean([1, 2, 30]));
  });
});

let runs = 0;
const one = (percent: number, isPass = true, inputs: string | null = null, skill = 's'): ScoredExecution => ({
  facts: { runId: `run-${runs++}`, phase: 'p', skill, status: isPass ? 'success' : 'failure', inputs },
  percent,
});
const many = (count: number, percent: number, isPass = true, skill = 's') =>
  Array.from({ length: count }, () => one(percent, isPass, null, skill));

test.each<[why: string, before: ScoredExecution[], after: ScoredExecution[], verdict: CompareVerdict]>([
  ['no executions', [], [], 'insufficient'],
  ['four runs before', many(4, 90), many(20, 10), 'insufficient'],
  ['four runs after', many(20, 90), many(4, 10), 'insufficient'],
  ['equal scores', many(10, 80), many(10, 80), 'inconclusive'],
  ['higher scores', many(10, 60), many(10, 80), 'improved'],
  ['lower scores', many(10, 80), many(10, 60), 'regressed'],
  ['more passes', [...many(15, 50), ...many(15, 50, false)], many(30, 50), 'improved'],
  ['fewer passes', many(30, 50), [...many(15, 50), ...many(15, 50, false)], 'regressed'],
  ['more passes with lower scores', [...many(15, 60), ...many(15, 60, false)], many(30, 50), 'inconclusive'],
  ['one outlier', [...many(9, 80), one(60)], many(10, 80), 'inconclusive'],
])('%s: %#', (_, before, after, verdict) => {
  expect(compareExecutions(before, after).verdict).toBe(verdict);
});

test('counts runs, not executions', () => {
  const same = many(9, 80).map((each) => ({ ...each, facts: { ...each.facts, runId: 'run-x' } }));
  expect(compareExecutions(same, many(9, 10)).verdict).toBe('insufficient');
});

test('one regressed skill decides', () => {
  const { verdict, skills } = compareExecutions(
    [...many(9, 50, true, 'a'), ...many(9, 90, true, 'b'), ...many(9, 90, true, 'gone')],
    [...many(9, 90, true, 'a'), ...many(9, 50, true, 'b')],
  );
  expect(verdict).toBe('regressed');
  expect(skills.map(({ skill, verdict: each }) => [skill, each])).toEqual([
    ['a', 'improved'],
    ['b', 'regressed'],
    ['gone', 'insufficient'],
  ]);
});

test('pairs executions with the same inputs', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f'].map((inputs, i) => one(i * 15, true, inputs));
  const after = ['f', 'e', 'd', 'c', 'b', 'a'].map((inputs, i) => one((5 - i) * 15 + 3, true, inputs));
  const [paired] = compareExecutions(before, after).skills;
  expect(paired).toMatchObject({ verdict: 'improved', score: { difference: 3, low: 3, high: 3, pairs: 6 } });
  const unpaired = (all: ScoredExecution[]) => all.map((each) => ({ ...each, facts: { ...each.facts, inputs: null } }));
  expect(compareExecutions(unpaired(before), unpaired(after)).verdict).toBe('inconclusive');
});

test('drops executions without a partner', () => {
  expect(compareExecutions(many(5, 50), many(8, 50)).skills[0]!.score!.pairs).toBe(5);
});

test('gives the same bytes for the same executions', () => {
  const [before, after] = [
    [...many(7, 50), ...many(7, 70, false)],
    [...many(9, 60), ...many(4, 80)],
  ];
  expect(JSON.stringify(compareExecutions(before, after))).toBe(JSON.stringify(compareExecutions(before, after)));
});
