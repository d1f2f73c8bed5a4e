import { expect, test } from 'vitest';
import { type RunGateName, runGateNames } from '../model/execution.ts';
import type { TraceLine } from '../model/trace.ts';
import { countBy, createPhaseFilter, type Grouping, getCountedEvent, matchesFilter, parsePeriod, type TraceFilter } from './trace-query.ts';

const line = (event: string, data: object, about: Partial<TraceLine> = {}): TraceLine => ({
  ...{ ts: '2026-01-15T00:00:00.000Z', event, data: data as Record<string, unknown>, v: 1, seq: 1, run_id: 'run-1', prev: 'genesis' },
  ...about,
});
const check = (name: string, passed: boolean) => ({ name, passed, message: '' });
const gate = (name: RunGateName, ...checks: object[]): TraceLine =>
  line('gate_checked', {
    ...{
      gate_id: runGateNames.indexOf(name),
      name,
      status: checks.every((one) => (one as { passed: boolean }).passed) ? 'passed' : 'failed',
    },
    checks_performed: checks,
  });
const done = (phase: string, status: string, duration_ms = 10, ts = '2026-01-15T00:00:00.000Z'): TraceLine =>
  line('execution_complete', { status, exit_code: status === 'success' ? 0 : 1, class: status, duration_ms }, { phase, skill: 'a', ts });
const count = (lines: TraceLine[], by: Grouping[], filter: TraceFilter = {}) => {
  const counter = countBy(by, filter);
  for (const one of lines) counter.step(one);
  return counter.end();
};

test('counts failures by check', () => {
  const lines = [
    gate('precondition', check('prd_exists', false), check('git_clean', true)),
    gate('precondition', check('prd_exists', false), check('git_clean', false)),
    gate('precondition', check('prd_exists', true), check('git_clean', true)),
    gate('output', check('schema', false)),
  ];
  expect(count(lines, ['check'], { gate: 'precondition' })).toEqual([
    { check: 'prd_exists', count: 3, failed: 2, failureRate: 0.6667, medianMs: null },
    { check: 'git_clean', count: 3, failed: 1, failureRate: 0.3333, medianMs: null },
  ]);
  expect(count(lines, ['gate', 'check'], { status: 'failed' }).map(({ gate, check, count }) => [gate, check, count])).toEqual([
    ['precondition', 'prd_exists', 2],
    ['output', 'schema', 1],
    ['precondition', 'git_clean', 1],
  ]);
});

test('computes the failure rate of a phase in a period', () => {
  const lines = [
    done('build', 'success', 10),
    done('build', 'failure', 30),
    done('build', 'timeout', 20, '2026-02-01T00:00:00.000Z'),
    done('design', 'success'),
    line('attempt_completed', { exit_code: 1 }, { phase: 'build' }),
  ];
  const buildLines = lines.filter(createPhaseFilter('build'));
  expect(count(buildLines, ['phase'], { since: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' })).toEqual([
    { phase: 'build', count: 2, failed: 1, failureRate: 0.5, medianMs: 20 },
  ]);
  expect(count(lines, ['month']).map(({ month, failed, count }) => [month, failed, count])).toEqual([
    ['2026-01', 1, 3],
    ['2026-02', 1, 1],
  ]);
});

test.each<[string | undefined, unknown, string[]]>([
  [undefined, ['design', 'build'], ['design', 'build', '3']],
  ['build', ['design', 'build'], ['build']],
  ['1', ['design', 'build'], ['design']],
  ['2', ['design', 'build'], ['build']],
  ['3', ['design', 'build'], []],
  ['3', ['design', 'build', '3', 'x'], ['3']],
  ['2', 'odd', []],
  ['02', ['design', 'build'], []],
  ['0', ['design', 'build'], []],
])('phase %s of %j selects %j', (phase, order, phases) => {
  const lines = [line('run_started', { order }), done('design', 'success'), done('build', 'success'), done('3', 'success')];
  expect(lines.filter(createPhaseFilter(phase)).flatMap((one) => one.phase ?? [])).toEqual(phases);
});

test('uses the order of phases of each run', () => {
  const lines = [line('run_started', { order: ['a'] }), done('a', 'success'), line('run_started', { order: [] }), done('a', 'success')];
  expect(lines.filter(createPhaseFilter('1'))).toHaveLength(1);
});

test.each<[TraceFilter, Grouping[], string]>([
  [{}, ['phase'], 'execution_complete'],
  [{}, ['check'], 'gate_checked'],
  [{ gate: 'goal' }, ['phase'], 'gate_checked'],
  [{ event: 'handoff_attempted' }, ['check'], 'handoff_attempted'],
])('default event for %j by %j is %s', (filter, by, event) => {
  expect(getCountedEvent(filter, by)).toBe(event);
});

test.each<[TraceLine, string, boolean]>([
  [done('a', 'timeout'), 'failed', true],
  [done('a', 'timeout'), 'timeout', true],
  [done('a', 'success'), 'passed', true],
  [line('handoff_attempted', { accepted: false }), 'rejected', true],
  [line('handoff_attempted', { accepted: true }), 'failed', false],
  [line('judge_called', { error: 'x' }), 'error', true],
  [line('judge_called', { verdict: 'unsure' }), 'passed', true],
  [line('review_resolved', { verdict: 'fail' }), 'failed', true],
  [line('something_new', { status: { odd: 1 } }), 'failed', false],
  [line('something_new', {}), 'passed', false],
])('%j has status %s: %s', (one, status, expected) => {
  expect(matchesFilter(one, { status })).toBe(expected);
});

test('ignores malformed fields', () => {
  const odd = [
    line('gate_checked', { checks_performed: [null, 1, {}, { name: 2 }] }),
    line('gate_checked', { checks_performed: 'x', name: 7 }),
  ];
  expect(count(odd, ['check'])).toEqual([]);
  expect(count(odd, ['gate'])).toHaveLength(1);
  expect(count([{ ...done('a', 'success'), phase: 5 as never }], ['phase'])).toMatchObject([{ phase: '', count: 1 }]);
});

const now = '2026-03-15T12:00:00.000Z';
test.each([
  ['30d', '2026-02-13T12:00:00.000Z', '2026-02-13T12:00:00.000Z'],
  ['2026', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2026-02', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['2025-12', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['2026-02-28', '2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['today', '2026-03-15T00:00:00.000Z', '2026-03-16T00:00:00.000Z'],
  ['yesterday', '2026-03-14T00:00:00.000Z', '2026-03-15T00:00:00.000Z'],
  ['this week', '2026-03-09T00:00:00.000Z', '2026-03-16T00:00:00.000Z'],
  ['last-week', '2026-03-02T00:00:00.000Z', '2026-03-09T00:00:00.000Z'],
  ['last month', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['this-month', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ['last year', '2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['2026-02-28T10:00:00Z', '2026-02-28T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
])('%s is from %s until %s', (text, from, to) => {
  expect(parsePeriod(text, now)).toEqual({ from, to });
});

test.each(['', 'tomorrow', 'last', 'next month', 'last day', '30', '2026-13', '2026-02-40', '5y', '2026-1', 'March 5', '0'])(
  'rejects %j as a period',
  (text) => {
    expect(parsePeriod(text, now)).toBeUndefined();
  },
);
