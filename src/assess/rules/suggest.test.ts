import { expect, test } from 'vitest';
import { parseTrace } from '#runs/rules/trace.ts';
import { formatTrace, type TracedExecution } from '../../../test/execution-trace.ts';
import { extractFacts, type TraceFacts } from './extract-facts.ts';
import { suggestFixes } from './suggest.ts';

const trace = (i: number, ...executions: TracedExecution[]): TraceFacts =>
  extractFacts(parseTrace(formatTrace(`run-${i}`, '2026-01-31', executions), () => '').lines.map(({ line }) => line));
/** `good` successful runs, then `bad` runs with the given execution. */
const createTraces = (good: number, bad: number, given: TracedExecution): TraceFacts[] => [
  ...Array.from({ length: good }, (_, i) => trace(i, {})),
  ...Array.from({ length: bad }, (_, i) => trace(good + i, given)),
];
const createWrite = (path: string): TracedExecution => ({
  warnings: [{ code: 'undeclared_write', message: 'a file is not an output of discovery', path }],
});
const rejected: TracedExecution = { exitCode: 66, attempts: 0, checks: { 1: ['!prd_exists', 'env'] } };

test.each<[why: string, traces: TraceFacts[], found: [rule: string, subject: string, count: number, of: number][]]>([
  ['no traces', [], []],
  ['only successes', createTraces(20, 0, {}), []],
  ['a precondition that fails twice', createTraces(0, 2, rejected), []],
  ['a precondition that fails in 3 of 10 runs', createTraces(7, 3, rejected), [['precondition_fails', 'prd_exists', 3, 10]]],
  ['a precondition that fails in less than 30 % of the runs', createTraces(8, 3, rejected), []],
  ['only the last 20 runs count', [...createTraces(0, 9, rejected), ...createTraces(20, 0, {})], []],
  ['runs near their timeout', createTraces(3, 3, { durationMs: 8000, timeoutMs: 10_000 }), [['near_time_limit', '10000 ms', 3, 6]]],
  ['runs that time out', createTraces(3, 3, { exitCode: 81, durationMs: 1, timeoutMs: 10_000 }), [['near_time_limit', '10000 ms', 3, 6]]],
  ['runs well below their timeout', createTraces(3, 3, { durationMs: 7999, timeoutMs: 10_000 }), []],
  ['no timeout', createTraces(0, 5, { durationMs: 7999, timeoutMs: 0 }), []],
  ['retries that succeed', createTraces(3, 3, { attempts: 2 }), [['retries_end_well', 'first attempt', 3, 6]]],
  ['retries of which one fails', [...createTraces(3, 3, { attempts: 2 }), trace(9, { attempts: 2, exitCode: 1 })], []],
  ['the same undeclared file', createTraces(5, 3, createWrite('notes/a.md')), [['undeclared_write', 'notes/a.md', 3, 8]]],
  ['different undeclared files', [trace(0, createWrite('a')), trace(1, createWrite('b')), trace(2, createWrite('c'))], []],
  ['a forced gate', createTraces(0, 3, { forced: [1] }), [['gate_forced', 'precondition', 3, 3]]],
  [
    'an undeclared exit code',
    createTraces(0, 3, { exitCode: 1, warnings: [{ code: 'undeclared_exit_code', message: '1 is not among the codes' }] }),
    [['undeclared_exit_code', '1', 3, 3]],
  ],
])('finds recurring problems: %s', (_, traces, found) => {
  expect(suggestFixes(traces).map(({ rule, subject, count, of }) => [rule, subject, count, of])).toEqual(found);
});

const createHandoff = (accepted: boolean, ...sections: string[]): TracedExecution[] => [
  {},
  {
    ...{ phase: 'design', skill: 'draw' },
    handoffs: [{ from: 'discovery', accepted, remediation: `prd.md: ${sections.map((id) => `${id} needs 30 words`).join('; ')}` }],
  },
];

test('finds handoffs that always lack the same section', () => {
  const traces = [
    trace(0, ...createHandoff(true)),
    trace(1, ...createHandoff(false, 'goals', 'risks')),
    trace(2, ...createHandoff(false, 'risks', 'users')),
    trace(3, ...createHandoff(false, 'risks')),
  ];
  expect(suggestFixes(traces)).toMatchObject([
    { rule: 'handoff_short', phase: 'discovery', subject: 'risks of prd.md', count: 3, of: 4, runs: ['run-3', 'run-2', 'run-1'] },
  ]);
  expect(suggestFixes([...traces, trace(4, ...createHandoff(false, 'goals'))])).toEqual([]);
});

test('finds handoffs that always lack the same file', () => {
  const handoffs = [{ from: 'discovery', accepted: false, remediation: 'write prd.md' }];
  const traces = [1, 2, 3].map((i) => trace(i, {}, { phase: 'design', skill: 'draw', handoffs }));
  expect(suggestFixes(traces)).toMatchObject([{ rule: 'handoff_short', subject: 'prd.md', count: 3, of: 3 }]);
});

test('counts the same skill separately in each phase', () => {
  const traces = [trace(0, rejected), trace(1, rejected), trace(2, { ...rejected, phase: 'design' })];
  expect(suggestFixes(traces)).toEqual([]);
});

test('lists the most frequent problem first, with an action', () => {
  const found = suggestFixes(Array.from({ length: 10 }, (_, i) => trace(i, { ...(i < 4 ? { attempts: 2 } : {}), ...createWrite('a.md') })));
  expect(found.map(({ rule }) => rule)).toEqual(['undeclared_write', 'retries_end_well']);
  expect(found[0]).toMatchObject({
    finding: 'write writes a.md, which is not an output of discovery',
    action: 'declare a.md as an output of discovery, or stop write from writing it',
    runs: ['run-9', 'run-8', 'run-7', 'run-6', 'run-5'],
  });
});
