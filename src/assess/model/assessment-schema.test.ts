import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { readTrace } from '#runs/rules/trace.ts';
import { type Traced, traceText } from '../../../test/traced.ts';
import { factsOf } from '../rules/facts.ts';
import { score } from '../rules/score.ts';
import { assessmentSchemaText } from './assessment-schema.ts';

const published = JSON.parse(readFileSync(new URL('../../../schemas/assessment.schema.json', import.meta.url), 'utf8'));
const isFit = new Ajv({ strict: true, allowUnionTypes: true }).compile(published);

const assessed = (given: Traced) => {
  const [facts] = factsOf(readTrace(traceText('run-1', '2026-01-31', [given]), () => '').lines.map(({ line }) => line)).executions;
  return score(facts!, { reference: {}, human: [], timestamp: '2026-02-01T00:00:00.000Z' });
};

test('the published schema is the one that follows from the model', async () => {
  await expect(assessmentSchemaText()).toMatchFileSnapshot('../../../schemas/assessment.schema.json');
});

test.each<[why: string, given: Traced]>([
  ['all well', {}],
  ['nothing known', { checks: {}, required: null }],
  ['refused', { exitCode: 66, attempts: 0, required: [{ path: 'a', completeness: 1 }] }],
  ['judged', { judge: [0.5, 0.7], attempts: 3, exitCode: 4 }],
])('an assessment complies with it: %s', (_, given) => {
  const assessment = assessed(given);
  expect([isFit(assessment), isFit.errors]).toEqual([true, null]);
  expect(isFit({ ...assessment, prediction: { pass: 0.4, model: 'x' } })).toBe(true);
});

test('what is none does not', () => {
  const whole = assessed({});
  const { flags: _, ...without } = whole;
  const off = { score: 21, max: 20, evidence: [] };
  for (const wrong of [
    ...[without, [], { ...whole, grade: 'E' }, { ...whole, percent: 101 }, { ...whole, percent: 66.5 }, { ...whole, evaluator: 'me' }],
    ...[
      { ...whole, extra: 1 },
      { ...whole, dimensions: {} },
      { ...whole, dimensions: { ...whole.dimensions, quality: off } },
    ],
    { ...whole, prediction: { pass: 2, model: 'x' } },
  ])
    expect(isFit(wrong)).toBe(false);
});
