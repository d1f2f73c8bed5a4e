import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parseTrace } from '#runs/rules/trace.ts';
import { formatTrace, type TracedExecution } from '../../../test/execution-trace.ts';
import { extractFacts } from '../rules/extract-facts.ts';
import { scoreExecution } from '../rules/score.ts';
import { formatAssessmentSchema } from './assessment-schema.ts';

const published = JSON.parse(readFileSync(new URL('../../../schemas/assessment.schema.json', import.meta.url), 'utf8'));
const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile(published);

const assess = (given: TracedExecution) => {
  const [facts] = extractFacts(parseTrace(formatTrace('run-1', '2026-01-31', [given]), () => '').lines.map(({ line }) => line)).executions;
  return scoreExecution(facts!, { reference: {}, human: [], timestamp: '2026-02-01T00:00:00.000Z' });
};

test('the published schema matches the model', async () => {
  await expect(formatAssessmentSchema()).toMatchFileSnapshot('../../../schemas/assessment.schema.json');
});

test.each<[why: string, given: TracedExecution]>([
  ['success', {}],
  ['no data', { checks: {}, required: null }],
  ['failed precondition', { exitCode: 66, attempts: 0, required: [{ path: 'a', completeness: 1 }] }],
  ['judged', { judge: [0.5, 0.7], attempts: 3, exitCode: 4 }],
])('accepts an assessment: %s', (_, given) => {
  const assessment = assess(given);
  expect([isValid(assessment), isValid.errors]).toEqual([true, null]);
  expect(isValid({ ...assessment, prediction: { pass: 0.4, model: 'x' } })).toBe(true);
});

test('rejects invalid assessments', () => {
  const valid = assess({});
  const { flags: _, ...without } = valid;
  const outOfRange = { score: 21, max: 20, evidence: [] };
  for (const wrong of [
    ...[without, [], { ...valid, grade: 'E' }, { ...valid, percent: 101 }, { ...valid, percent: 66.5 }, { ...valid, evaluator: 'me' }],
    ...[
      { ...valid, extra: 1 },
      { ...valid, dimensions: {} },
      { ...valid, dimensions: { ...valid.dimensions, quality: outOfRange } },
    ],
    { ...valid, prediction: { pass: 2, model: 'x' } },
  ])
    expect(isValid(wrong)).toBe(false);
});
