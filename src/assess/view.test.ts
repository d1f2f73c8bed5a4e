import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { assessView } from './view.ts';

const render = renderWith(assessView);

const dimension = (score: number | null, ...evidence: string[]) => ({ score, max: score === null ? 0 : 20, evidence });
const assessment = {
  ...{
    run_id: 'run-1',
    execution_id: 'run-1:discovery:write',
    phase: 'discovery',
    skill: 'write',
    skill_version: '1.2.0',
    status: 'success',
  },
  ...{ exit_code: 0, completed_at: '2026-01-31T10:00:00.000Z', totalScore: 46.67, maxScore: 60, percent: 78, grade: 'B' },
  dimensions: {
    correctness: dimension(16.67, '5 of 6 checks of the execution and output gates passed', 'timeout: timed out'),
    completeness: dimension(null, 'no outputs are required'),
    quality: dimension(null, 'not reviewed'),
    efficiency: dimension(10, '200 ms of 100 (median of 6 successes)'),
    compliance: dimension(20, 'no violations'),
  },
  ...{ flags: ['timeout: timed out'], evaluator: 'auto', rubric_version: '1.0.0', timestamp: '2026-02-01T00:00:00.000Z' },
};

test('draws an assessment with its grade, dimensions and flags', async () => {
  expect(await render({ assessments: [{ ...assessment, prediction: { pass: 0.82, model: 'x' } }] })).toBe(
    `B  78 %  discovery · write
46.67/60 · success (0) · version 1.2.0 · 2026-01-31 10:00 · run-1 · predicted
pass: 82 %

correctness   ████████░░ 16.67/20  5 of 6 checks of the execution and output
                                   gates passed · timeout: timed out
completeness                    -  no outputs are required
quality                         -  not reviewed
efficiency    █████░░░░░    10/20  200 ms of 100 (median of 6 successes)
compliance    ██████████    20/20  no violations

✗ timeout: timed out
`,
  );
});

test('draws many assessments as rows, and the totals in one line', async () => {
  const totals = { runs: 4, executions: 4, passed: 4, skipped: 1, percent: 78, grades: { B: 4 } };
  const text = await render({ assessments: Array.from({ length: 4 }, () => assessment), totals });
  expect(text).toContain('B 78 %');
  expect(text).toContain('4 runs · 4 executions · 4 succeeded · 1 skipped · mean 78 % · 4 B');
  expect(text.split('\n').filter((line) => line.includes('run-1'))).toHaveLength(4);
});

test('limits the number of flags', async () => {
  const flags = Array.from({ length: 20 }, (_, i) => `flag ${i}`);
  expect(await render({ assessments: [{ ...assessment, flags }] })).toContain('  and 8 more');
});

const side = (passed: number) => ({ runs: 10, executions: 10, passed });
const comparison = {
  ...{
    verdict: 'regressed',
    baseline: { named: '2026-01-*', runs: 10, executions: 11 },
    candidate: { named: 'run-9', runs: 1, executions: 1 },
  },
  ...{ draws: 10_000, seed: 1 },
  skills: [
    {
      ...{ skill: 'write', verdict: 'regressed', baseline: side(9), candidate: side(2) },
      passRate: { difference: -0.7, low: -0.8941, high: -0.2555 },
      score: { difference: 3, low: -4.25, high: 10, pairs: 10 },
    },
    {
      skill: 'draw',
      verdict: 'insufficient',
      baseline: { runs: 1, executions: 1, passed: 1 },
      candidate: { runs: 0, executions: 0, passed: 0 },
    },
  ],
};

test('draws a comparison with its verdict and both measures of each skill', async () => {
  expect(await render({ comparison })).toBe(`✗ regressed
2026-01-*: 10 runs, 11 executions  →  run-9: 1 run, 1 execution

✗ write  regressed
    succeeded 9 of 10 → 2 of 10: -70 % (-89.4 to -25.5)
    score +3 points (-4.2 to 10), 10 pairs
○ draw  insufficient
    succeeded 1 of 1 → 0 of 0
    at least five runs per side are needed
`);
});

const suggestion = {
  ...{ rule: 'undeclared_write', phase: 'discovery', skill: 'write', subject: 'a.md', count: 3, of: 5, runs: ['run-3', 'run-2'] },
  ...{ finding: 'write writes a.md, which is not an output of discovery', action: 'declare a.md as an output of discovery' },
};

test('draws a suggestion with its count, action and runs', async () => {
  expect(await render({ suggestions: [suggestion], runs: 5 })).toBe(`! write writes a.md, which is not an output of discovery (3 of 5)
  declare a.md as an output of discovery
  in run-3, run-2

runs  5
`);
});

const model = {
  ...{ schema_version: 1, rubric_version: '1.0.0', active: true, id: 'abc', verdicts: 40, passed: 30, failed: 10, auc: 0.9, brier: 0.1 },
  ...{ accuracy: 0.9, majority: { accuracy: 0.75, brier: 0.1875 }, intercept: 0, trained_at: '2026-02-01T00:00:00.000Z' },
  features: [
    { name: 'judge', weight: 1.5, mean: 0, deviation: 1 },
    { name: 'retries', weight: -2, mean: 0, deviation: 1 },
    { name: 'warnings', weight: 0, mean: 0, deviation: 1 },
  ],
};

test('draws the quality and the weights of a model', async () => {
  const text = await render({ model });
  expect(text).toContain('✓ in use');
  expect(text).toContain('0.9 (majority verdict: 0.75)');
  expect(text).toMatch(/weights +retries -2, judge 1.5$/m);
  expect(await render({ model: { ...model, active: false, reason: 'it is no better' } })).toContain('! not in use: it is no better');
});

test.each([40, 60, 80, 120])('fits %d columns', async (columns) => {
  for (const result of [{ assessments: [assessment] }, { comparison }, { suggestions: [suggestion] }, { model }])
    for (const line of (await render(result, {}, columns)).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
});

test('escapes control characters of a run', async () => {
  const evil = '\u001b[2Jevil\nline';
  const text = await render({
    assessments: [{ ...assessment, skill: evil, flags: [evil] }],
    suggestions: [{ ...suggestion, finding: evil }],
  });
  expect(text).not.toContain('\u001b');
  expect(text).toContain('␛[2Jevil ↵ line');
});

test('draws selected fields by their shape', async () => {
  expect(await render({ assessments: [{ grade: 'B' }] })).toContain('B');
  expect(await render({ comparison: { verdict: 'improved' } })).toContain('improved');
  expect(await render({ model: { auc: 0.9 } })).toContain('0.9');
});
