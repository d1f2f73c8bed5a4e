import { expect, test } from 'vitest';
import { formatDuration } from '#lib/ago.ts';
import { parseTrace } from '#runs/rules/trace.ts';
import { formatTrace, type TracedExecution } from '../../../../test/execution-trace.ts';
import { extractFacts } from '../extract-facts.ts';
import { scoreExecution } from '../score.ts';
import { suggestFixes } from '../suggest.ts';
import { type DashboardFacts, renderDashboard } from './dashboard.ts';
import { html } from './html.ts';
import { countOccurrences, formatMinute } from './tables.ts';

function createFacts(...executions: TracedExecution[]): DashboardFacts {
  const trace = extractFacts(parseTrace(formatTrace('run-1', '2026-01-31', executions), () => '').lines.map(({ line }) => line));
  return {
    project: 'parser',
    generatedAt: '2026-02-01T00:00:00.000Z',
    assessments: trace.executions.map((facts) =>
      scoreExecution(facts, { reference: {}, human: [], timestamp: '2026-02-01T00:00:00.000Z' }),
    ),
    facts: trace.executions,
    suggestions: suggestFixes([trace]),
  };
}
const model = {
  ...{
    schema_version: 1 as const,
    rubric_version: '1.0.0',
    active: true,
    id: 'abc',
    verdicts: 40,
    passed: 30,
    failed: 10,
    auc: 0.9,
    brier: 0.1,
  },
  ...{ accuracy: 0.9, majority: { accuracy: 0.75, brier: 0.1875 }, intercept: 0, features: [], trained_at: '2026-02-01T00:00:00.000Z' },
};

test('shows assessments', () => {
  const page = renderDashboard({
    ...createFacts({}, { phase: 'design', skill: 'draw', exitCode: 84, checks: { 1: ['!prd_exists'], 2: ['a'] } }),
    model,
  });
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
  for (const text of [
    'parser: skill results',
    'discovery &middot; write',
    'design &middot; draw',
    'failure (84)',
    'prd_exists',
    'validation',
    '40 human verdicts',
  ])
    expect(page).toContain(text);
  expect(page).toContain('aria-label="Scores of 2 executions');
});

test('is self-contained', () => {
  const page = renderDashboard({ ...createFacts({}), model });
  expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\bon\w+=|https?:\/\//i);
  expect(page).toContain(`content="default-src 'none'`);
});

test('escapes all text from runs', () => {
  const evil = `<script>alert(1)</script>"' onload='x' &lt; \u202e\u0000 javascript:`;
  const given = createFacts(
    { skill: evil, phase: evil, warnings: [{ code: 'undeclared_write', message: evil }], required: [{ path: evil, completeness: 0 }] },
    { phase: 'p', checks: { 1: [`!${evil}`], 2: [`!${evil}`] }, class: evil },
  );
  const page = renderDashboard({
    ...given,
    project: evil,
    suggestions: [{ rule: 'gate_forced', phase: evil, subject: evil, count: 3, of: 3, finding: evil, action: evil, runs: [] }],
    model: { ...model, active: false, reason: evil },
  });
  expect(page).not.toMatch(/<script/i);
  expect(
    page.match(
      /<(?!\/|!doctype|html|head|meta|title|style|body|main|header|h1|h2|p|dl|div|dt|dd|small|section|svg|line|text|circle|path|polyline|span|ol|ul|li|br|table|caption|thead|tbody|tr|th|td|code|details|summary|footer)/g,
    ),
  ).toBeNull();
  expect(page).not.toMatch(/onload='/);
  expect(page).not.toMatch(/[\u0000\u202e]/);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;');
  expect(page).toContain('&amp;lt;');
});

test('renders an empty project', () => {
  expect(renderDashboard(createFacts())).toContain('No execution has been assessed yet.');
});

test('limits the number of executions', () => {
  const [first] = createFacts({}).assessments;
  const assessments = Array.from({ length: 5000 }, (_, i) => ({ ...first!, run_id: `run-${i}`, execution_id: `run-${i}:p:s` }));
  const page = renderDashboard({ ...createFacts(), assessments });
  expect(page).toContain('The last 300 of 5000 are shown');
  expect(page).toContain('The last 100 of 5000');
  expect(page).toContain('run-4999');
  expect(page).not.toContain('run-4899<');
  expect(page.length).toBeLessThan(150_000);
  expect(page).toContain('The traces of 5000 executions were deleted');
});

test('gives the same bytes for the same facts', () => {
  expect(renderDashboard(createFacts({}, { phase: 'b', judge: [0.3] }))).toBe(
    renderDashboard(createFacts({}, { phase: 'b', judge: [0.3] })),
  );
});

test('html escapes strings, keeps markup and drops undefined', () => {
  expect(html`<p>${'<'}${html`<b>${1}</b>`}${undefined}${['a', html`<i/>`, '>']}</p>`.text).toBe('<p>&lt;<b>1</b>a<i/>&gt;</p>');
});

test('formats durations, times and counts', () => {
  expect([0, 999, 1500, 59_999, 90_000, 7_200_000].map(formatDuration)).toEqual(['0 ms', '999 ms', '1.5 s', '60.0 s', '1.5 min', '2.0 h']);
  expect(formatMinute('2026-01-31T10:20:30.000Z')).toBe('2026-01-31 10:20');
  expect(countOccurrences(['b', 'a', 'c', 'a', 'b'])).toEqual([
    ['a', 2],
    ['b', 2],
    ['c', 1],
  ]);
});
