import { expect, test } from 'vitest';
import { readTrace } from '#runs/rules/trace.ts';
import { type Traced, traceText } from '../../../test/traced.ts';
import { factsOf, type TraceFacts } from './facts.ts';
import { suggest } from './suggest.ts';

const trace = (i: number, ...executions: Traced[]): TraceFacts =>
  factsOf(readTrace(traceText(`run-${i}`, '2026-01-31', executions), () => '').lines.map(({ line }) => line));
/** As many runs that went well, then as many of these. */
const after = (good: number, bad: number, given: Traced): TraceFacts[] => [
  ...Array.from({ length: good }, (_, i) => trace(i, {})),
  ...Array.from({ length: bad }, (_, i) => trace(good + i, given)),
];
const write = (path: string): Traced => ({
  warnings: [{ code: 'undeclared_write', message: `${path} was created, and is no output of discovery` }],
});
const refused: Traced = { exitCode: 66, attempts: 0, checks: { 1: ['!prd_exists', 'env'] } };

test.each<[why: string, traces: TraceFacts[], found: [rule: string, subject: string, count: number, of: number][]]>([
  ['nothing', [], []],
  ['all went well', after(20, 0, {}), []],
  ['a precondition that fails twice', after(0, 2, refused), []],
  ['three times of ten', after(7, 3, refused), [['precondition_fails', 'prd_exists', 3, 10]]],
  ['three times of eleven is under 30 percent', after(8, 3, refused), []],
  ['only the last twenty runs count', [...after(0, 9, refused), ...after(20, 0, {})], []],
  ['runs end near their limit', after(3, 3, { durationMs: 8000, timeoutMs: 10_000 }), [['near_time_limit', '10000 ms', 3, 6]]],
  ['runs end at it', after(3, 3, { exitCode: 81, durationMs: 1, timeoutMs: 10_000 }), [['near_time_limit', '10000 ms', 3, 6]]],
  ['runs end well before', after(3, 3, { durationMs: 7999, timeoutMs: 10_000 }), []],
  ['no limit', after(0, 5, { durationMs: 7999, timeoutMs: 0 }), []],
  ['retries that end well', after(3, 3, { attempts: 2 }), [['retries_end_well', 'first attempt', 3, 6]]],
  ['retries of which one does not', [...after(3, 3, { attempts: 2 }), trace(9, { attempts: 2, exitCode: 1 })], []],
  ['the same file written again and again', after(5, 3, write('notes/a.md')), [['undeclared_write', 'notes/a.md', 3, 8]]],
  ['another file each time', [trace(0, write('a')), trace(1, write('b')), trace(2, write('c'))], []],
  ['a gate that is forced', after(0, 3, { forced: [1] }), [['gate_forced', 'precondition', 3, 3]]],
  [
    'a code that nobody declared',
    after(0, 3, { exitCode: 1, warnings: [{ code: 'undeclared_exit_code', message: '1 is not among the codes' }] }),
    [['undeclared_exit_code', '1', 3, 3]],
  ],
])('%s', (_, traces, found) => {
  expect(suggest(traces).map(({ rule, subject, count, of }) => [rule, subject, count, of])).toEqual(found);
});

const handed = (accepted: boolean, ...sections: string[]): Traced[] => [
  {},
  {
    ...{ phase: 'design', skill: 'draw' },
    handoffs: [{ from: 'discovery', accepted, remediation: `prd.md: ${sections.map((id) => `${id} needs 30 words`).join('; ')}` }],
  },
];

test('a handoff that is always short of the same section', () => {
  const traces = [
    trace(0, ...handed(true)),
    trace(1, ...handed(false, 'goals', 'risks')),
    trace(2, ...handed(false, 'risks', 'users')),
    trace(3, ...handed(false, 'risks')),
  ];
  expect(suggest(traces)).toMatchObject([
    { rule: 'handoff_short', phase: 'discovery', subject: 'risks of prd.md', count: 3, of: 4, runs: ['run-3', 'run-2', 'run-1'] },
  ]);
  expect(suggest([...traces, trace(4, ...handed(false, 'goals'))])).toEqual([]);
});

test('a handoff that always lacks the same file', () => {
  const handoffs = [{ from: 'discovery', accepted: false, remediation: 'write prd.md' }];
  const traces = [1, 2, 3].map((i) => trace(i, {}, { phase: 'design', skill: 'draw', handoffs }));
  expect(suggest(traces)).toMatchObject([{ rule: 'handoff_short', subject: 'prd.md', count: 3, of: 3 }]);
});

test('the same skill in another phase is another matter', () => {
  const traces = [trace(0, refused), trace(1, refused), trace(2, { ...refused, phase: 'design' })];
  expect(suggest(traces)).toEqual([]);
});

test('what is commonest stands first, and says what to do', () => {
  const found = suggest(Array.from({ length: 10 }, (_, i) => trace(i, { ...(i < 4 ? { attempts: 2 } : {}), ...write('a.md') })));
  expect(found.map(({ rule }) => rule)).toEqual(['undeclared_write', 'retries_end_well']);
  expect(found[0]).toMatchObject({
    finding: 'write writes a.md, which is no output of discovery',
    action: 'declare a.md among the outputs of discovery, or have write leave it alone',
    runs: ['run-9', 'run-8', 'run-7', 'run-6', 'run-5'],
  });
});
