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
    correctness: dimension(16.67, '5 of 6 checks of gates 2 and 3 passed', 'timeout: its time was up'),
    completeness: dimension(null, 'nothing had to be made'),
    quality: dimension(null, 'nobody has judged it'),
    efficiency: dimension(10, '200 ms of 100 (median of 6 successes)'),
    compliance: dimension(20, 'nothing breaks the rules'),
  },
  ...{ flags: ['timeout: its time was up'], evaluator: 'auto', rubric_version: '1.0.0', timestamp: '2026-02-01T00:00:00.000Z' },
};

test('an assessment is a grade, a bar for each dimension that is known, and what stands out', async () => {
  expect(await render({ assessments: [{ ...assessment, prediction: { pass: 0.82, model: 'x' } }] })).toBe(
    `B  78 %  discovery · write
46.67/60 · success (0) · version 1.2.0 · 2026-01-31 10:00 · run-1 · people would
pass it: 82 %

correctness   ████████░░ 16.67/20  5 of 6 checks of gates 2 and 3 passed ·
                                   timeout: its time was up
completeness                    -  nothing had to be made
quality                         -  nobody has judged it
efficiency    █████░░░░░    10/20  200 ms of 100 (median of 6 successes)
compliance    ██████████    20/20  nothing breaks the rules

✗ timeout: its time was up
`,
  );
});

test('many are a line each, and all of them a line', async () => {
  const totals = { runs: 4, executions: 4, passed: 4, skipped: 1, percent: 78, grades: { B: 4 } };
  const text = await render({ assessments: Array.from({ length: 4 }, () => assessment), totals });
  expect(text).toContain('B 78 %');
  expect(text).toContain('4 runs · 4 executions · 4 succeeded · 1 skipped · mean 78 % · 4 B');
  expect(text.split('\n').filter((line) => line.includes('run-1'))).toHaveLength(4);
});

test('of very many flags some are shown and the rest counted', async () => {
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

test('a comparison is a verdict, and each skill with both measures', async () => {
  expect(await render({ comparison })).toBe(`✗ regressed
2026-01-*: 10 runs, 11 executions  →  run-9: 1 run, 1 execution

✗ write  regressed
    succeeded 9 of 10 → 2 of 10: -70 % (-89.4 to -25.5)
    score +3 points (-4.2 to 10), 10 pairs
○ draw  insufficient
    succeeded 1 of 1 → 0 of 0
    five runs a side are needed
`);
});

const suggestion = {
  ...{ rule: 'undeclared_write', phase: 'discovery', skill: 'write', subject: 'a.md', count: 3, of: 5, runs: ['run-3', 'run-2'] },
  ...{ finding: 'write writes a.md, which is no output of discovery', action: 'declare a.md among the outputs of discovery' },
};

test('a suggestion says what was seen, how often, and what to do', async () => {
  expect(await render({ suggestions: [suggestion], runs: 5 })).toBe(`! write writes a.md, which is no output of discovery (3 of 5)
  declare a.md among the outputs of discovery
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

test('a model says how good it is, and what it looks at', async () => {
  const text = await render({ model });
  expect(text).toContain('✓ in use');
  expect(text).toContain('0.9 (always the commoner: 0.75)');
  expect(text).toMatch(/weights +retries -2, judge 1.5$/m);
  expect(await render({ model: { ...model, active: false, reason: 'it is no better' } })).toContain('! not in use: it is no better');
});

test.each([40, 60, 80, 120])('everything fits %d columns', async (columns) => {
  for (const result of [{ assessments: [assessment] }, { comparison }, { suggestions: [suggestion] }, { model }])
    for (const line of (await render(result, {}, columns)).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
});

test('what a run called itself is shown, not obeyed', async () => {
  const evil = '\u001b[2Jevil\nline';
  const text = await render({
    assessments: [{ ...assessment, skill: evil, flags: [evil] }],
    suggestions: [{ ...suggestion, finding: evil }],
  });
  expect(text).not.toContain('\u001b');
  expect(text).toContain('␛[2Jevil ↵ line');
});

test('picked fields are shown by their shape', async () => {
  expect(await render({ assessments: [{ grade: 'B' }] })).toContain('B');
  expect(await render({ comparison: { verdict: 'improved' } })).toContain('improved');
  expect(await render({ model: { auc: 0.9 } })).toContain('0.9');
});
