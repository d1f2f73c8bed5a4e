import { expect, test } from 'vitest';
import { sha256 } from '#lib/digest.ts';
import type { Assessment, ExecutionFacts } from '../model/assessment.ts';
import { type CalibratedExecution, calibrate, findShortage, predictVerdict } from './calibrate.ts';
import { predictProbability, trainModel } from './logistic.ts';

const points = (score: number | null) => ({ score, max: score === null ? (0 as const) : (20 as const), evidence: [] });
const about = { trainedAt: '2026-02-01T00:00:00.000Z', hash: sha256 };

function createJudged(i: number, verdict: 'pass' | 'fail', judge: number, correctness = 20): CalibratedExecution {
  const facts = { executionId: `run-${String(i).padStart(3, '0')}`, judge: [judge], confidence: null, retries: 0, warnings: [] };
  const dimensions = { correctness: points(correctness), completeness: points(null), efficiency: points(null), compliance: points(20) };
  return { facts: facts as unknown as ExecutionFacts, assessment: { dimensions } as unknown as Assessment, verdict };
}
/** Verdicts that follow the judge with some noise, and verdicts that do not. */
const learnable = Array.from({ length: 60 }, (_, i) =>
  createJudged(i, i % 3 > 0 ? 'pass' : 'fail', (i % 3 > 0 ? 0.7 : 0.3) + ((i * 7) % 11) / 60),
);
const random = Array.from({ length: 60 }, (_, i) => createJudged(i, (i * 7919) % 10 < 6 ? 'pass' : 'fail', ((i * 104_729) % 97) / 97));

test.each<[why: string, all: CalibratedExecution[], problem: string | undefined]>([
  ['no verdicts', [], '0 executions have a human verdict; 30 are needed'],
  ['29 verdicts', learnable.slice(0, 29), '29 executions have a human verdict; 30 are needed'],
  ['30 verdicts', learnable.slice(0, 30), undefined],
  ['only passes', learnable.filter(({ verdict }) => verdict === 'pass'), 'all 40 verdicts are pass; both are needed'],
  ['only fails', learnable.slice(0, 30).map((one) => ({ ...one, verdict: 'fail' as const })), 'all 30 verdicts are fail; both are needed'],
])('%s', (_, all, problem) => {
  expect(findShortage(all)).toBe(problem);
});

test('trains and activates a model on learnable verdicts', () => {
  const model = calibrate(learnable, about);
  expect(model).toMatchObject({ active: true, verdicts: 60, passed: 40, failed: 20, majority: { accuracy: 0.666667, brier: 0.222222 } });
  expect(model).not.toHaveProperty('reason');
  expect(model.auc).toBeGreaterThan(0.95);
  expect(model.brier).toBeLessThan(0.1);
  expect(model.accuracy).toBeGreaterThan(0.9);
  expect(model.features.find(({ name }) => name === 'judge')!.weight).toBeGreaterThan(0.5);
  const [good, bad] = [createJudged(1, 'pass', 0.9), createJudged(2, 'fail', 0.2)];
  expect(predictVerdict(model, good.facts, good.assessment)!.pass).toBeGreaterThan(0.8);
  expect(predictVerdict(model, bad.facts, bad.assessment)!.pass).toBeLessThan(0.5);
});

test('does not activate a model that is no better than the majority', () => {
  const model = calibrate(random, about);
  expect(model).toMatchObject({ active: false, reason: 'it is no better than always predicting the majority verdict' });
  expect(predictVerdict(model, random[0]!.facts, random[0]!.assessment)).toBeUndefined();
});

test('gives the same model for the same verdicts in any order', () => {
  expect(JSON.stringify(calibrate(learnable.toReversed(), about))).toBe(JSON.stringify(calibrate(learnable, about)));
  expect(calibrate(random, about).id).not.toBe(calibrate(learnable, about).id);
});

test('an unknown feature has no effect', () => {
  const model = calibrate(learnable, about);
  const { facts, assessment } = createJudged(1, 'pass', 0);
  const neutral = predictVerdict(model, { ...facts, judge: [] }, assessment)!.pass;
  expect(neutral).toBeGreaterThan(0.5);
  expect(neutral).toBeLessThan(0.9);
});

test('predicts nothing without a model of the same rubric and features', () => {
  const model = calibrate(learnable, about);
  const { facts, assessment } = learnable[0]!;
  for (const other of [undefined, { ...model, rubric_version: '0.9.0' }, { ...model, features: model.features.slice(1) }])
    expect(predictVerdict(other, facts, assessment)).toBeUndefined();
});

test('keeps weights small and ignores constant features', () => {
  const examples = [0, 1, 2, 3, 4, 5].map((value) => ({ features: [value, 7], isPositive: value > 2 }));
  const learned = trainModel(examples);
  expect(learned.weights[0]).toBeGreaterThan(0.5);
  expect(learned.weights[0]).toBeLessThan(3);
  expect(learned.weights[1]).toBe(0);
  expect(predictProbability(learned, [5, 7])).toBeGreaterThan(0.8);
  expect(predictProbability(learned, [2.5, 7])).toBeCloseTo(0.5, 6);
});

test('converges to the optimum, even with correlated features', () => {
  const examples = Array.from({ length: 200 }, (_, i) => {
    const [one, other] = [((i * 37) % 101) / 101, ((i * 53) % 89) / 89];
    return { features: [one, one + other / 20, other], isPositive: one > 0.2 + other / 10 };
  });
  const { intercept, weights, means, deviations } = trainModel(examples);
  const rows = examples.map(({ features }) => features.map((value, i) => (value - means[i]!) / deviations[i]!));
  const off = rows.map((row, n) => {
    const sum = row.reduce((all, value, i) => all + value * weights[i]!, intercept);
    return 1 / (1 + Math.exp(-sum)) - (examples[n]!.isPositive ? 1 : 0);
  });
  const slopes = [off.reduce((all, each) => all + each, 0)];
  for (const [i, weight] of weights.entries()) slopes.push(off.reduce((all, each, n) => all + each * rows[n]![i]!, weight));
  for (const slope of slopes) expect(Math.abs(slope / examples.length)).toBeLessThan(1e-4);
});
