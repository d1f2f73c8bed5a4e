import { describe, expect, test } from 'vitest';
import { sha256 } from '#lib/digest.ts';
import { parseTrace } from '#runs/rules/trace.ts';
import { formatTrace, type TracedExecution } from '../../../test/execution-trace.ts';
import { extractFacts } from './extract-facts.ts';
import type { Reference } from './reference.ts';
import { scoreExecution } from './score.ts';

const extract = (...executions: TracedExecution[]) =>
  extractFacts(parseTrace(formatTrace('run-1', '2026-01-31', executions), sha256).lines.map(({ line }) => line)).executions;
const extractOne = (given: TracedExecution) => extract(given)[0]!;
const inputs = { reference: {} as Reference, human: [] as number[], timestamp: '2026-02-01T00:00:00.000Z' };
const createUsual = (value: number): Reference => ({ durationMs: { value, source: 'usual' } });

const checks = (two: string[], three: string[] = []): Record<number, string[]> => ({ 2: two, 3: three });

describe('correctness', () => {
  test.each<[why: string, given: TracedExecution, points: number | null]>([
    ['all checks of the execution and output gates', { checks: checks(['a', 'b'], ['c']) }, 20],
    ['a share of the checks', { checks: checks(['a', 'b'], ['!c', 'd']) }, 15],
    ['rounds to two decimals', { checks: checks(['a', 'b'], ['!c']) }, 13.33],
    ['checks of other gates do not count', { checks: { 1: ['!x'], 2: ['a'] } }, 20],
    ['a partial execution gets at most half', { exitCode: 4, checks: checks(['a', 'b', 'c', '!d']) }, 10],
    ['a partial execution with fewer passed checks', { exitCode: 4, checks: checks(['a', '!b', '!c', '!d']) }, 5],
    ['a failure', { exitCode: 84, checks: checks(['a', 'b']) }, 0],
    ['blocked', { exitCode: 80 }, 0],
    ['timeout', { exitCode: 81 }, 0],
    ['no checks', { checks: {} }, null],
  ])('%s', (_, given, points) => {
    expect(scoreExecution(extractOne(given), inputs).dimensions.correctness).toMatchObject({
      score: points,
      max: points === null ? 0 : 20,
    });
  });
});

describe('completeness', () => {
  test.each<[why: string, given: TracedExecution, points: number | null]>([
    [
      'the mean of the required outputs',
      {
        required: [
          { path: 'a', completeness: 1 },
          { path: 'b', completeness: 0.5 },
        ],
      },
      15,
    ],
    ['a missing output', { required: [{ path: 'a', completeness: 0 }] }, 0],
    ['no required outputs', { required: [] }, null],
    ['a trace without outputs', { required: null }, null],
    ['existing files do not count if nothing ran', { exitCode: 66, attempts: 0, required: [{ path: 'a', completeness: 1 }] }, 0],
  ])('%s', (_, given, points) => {
    expect(scoreExecution(extractOne(given), inputs).dimensions.completeness.score).toBe(points);
  });
});

describe('quality', () => {
  test.each<[why: string, judge: number[], human: number[], points: number | null, evaluator: string]>([
    ['not reviewed', [], [], null, 'auto'],
    ['the mean of the judge', [0.5, 0.7], [], 12, 'judge'],
    ['reviewers before the judge', [0.1], [0.8, 1], 18, 'human'],
  ])('%s', (_, judge, human, points, evaluator) => {
    const found = scoreExecution(extractOne({ judge }), { ...inputs, human });
    expect([found.dimensions.quality.score, found.evaluator]).toEqual([points, evaluator]);
  });
});

describe('efficiency', () => {
  test.each<[why: string, given: TracedExecution, reference: Reference, points: number | null]>([
    ['the usual time', { durationMs: 100 }, createUsual(100), 20],
    ['faster than usual', { durationMs: 1 }, createUsual(100), 20],
    ['twice the usual time', { durationMs: 200 }, createUsual(100), 10],
    ['three times the usual time', { durationMs: 300 }, createUsual(100), 0],
    ['more than three times the usual time', { durationMs: 3000 }, createUsual(100), 0],
    ['a retry costs 4 points', { durationMs: 100, attempts: 3 }, createUsual(100), 12],
    ['never below 0', { durationMs: 300, attempts: 3 }, createUsual(100), 0],
    ['no reference', { durationMs: 100 }, {}, null],
    ['nothing ran', { exitCode: 66, attempts: 0 }, createUsual(100), null],
    ['tokens, if they are worse', { usage: { total_tokens: 200 } }, { ...createUsual(100), tokens: { value: 100, source: 'usual' } }, 10],
    ['time, if it is worse', { durationMs: 200, usage: { tokens: 1 } }, { ...createUsual(100), tokens: { value: 100, source: '' } }, 10],
    ['tokens that are not reported', { durationMs: 100 }, { ...createUsual(100), tokens: { value: 100, source: '' } }, 20],
    ['a usual time of 0', { durationMs: 2 }, createUsual(0), 10],
  ])('%s', (_, given, reference, points) => {
    expect(scoreExecution(extractOne(given), { ...inputs, reference }).dimensions.efficiency.score).toBe(points);
  });
});

const createWarnings = (code: string, times: number): TracedExecution => ({
  warnings: Array.from({ length: times }, (_, i) => ({ code, message: `file-${i} was created, but is not an output` })),
});

describe('compliance', () => {
  test.each<[why: string, given: TracedExecution, points: number]>([
    ['no violations', {}, 20],
    ['a forced gate', { forced: [1] }, 15],
    ['two forced gates', { checks: { 1: ['!a'], 2: ['b'], 3: ['!c'] }, forced: [1, 3] }, 10],
    ['an undeclared write', createWarnings('undeclared_write', 1), 17],
    ['three undeclared writes', createWarnings('undeclared_write', 3), 11],
    ['four undeclared writes cost no more', createWarnings('undeclared_write', 4), 11],
    ['an undeclared exit code', createWarnings('undeclared_exit_code', 1), 18],
    ['a status mismatch', createWarnings('status_mismatch', 1), 18],
    ['other warnings', createWarnings('leaked_process', 5), 20],
  ])('%s', (_, given, points) => {
    expect(scoreExecution(extractOne(given), inputs).dimensions.compliance.score).toBe(points);
  });

  const rejected = { from: 'discovery', accepted: false };
  test('a rejected handoff counts against the sender', () => {
    const [sender, receiver] = extract({}, { phase: 'design', exitCode: 80, attempts: 0, handoffs: [rejected] });
    expect(scoreExecution(sender!, inputs).dimensions.compliance).toMatchObject({
      score: 15,
      evidence: ['-5 handoff from discovery to design was rejected: discovery is not enough'],
    });
    expect(scoreExecution(receiver!, inputs).dimensions.compliance.score).toBe(20);
  });

  test('a rejected handoff counts against the receiver if the sender did not run', () => {
    const [receiver] = extract({ phase: 'design', exitCode: 80, attempts: 0, handoffs: [rejected] });
    expect(scoreExecution(receiver!, inputs).dimensions.compliance.score).toBe(15);
  });

  test('never below 0', () => {
    const [sender] = extract(
      { checks: { 1: ['!a'], 2: ['!b'], 3: ['!c'] }, forced: [1, 3], ...createWarnings('undeclared_write', 9) },
      { phase: 'design', handoffs: [rejected] },
    );
    expect(scoreExecution(sender!, inputs).dimensions.compliance.score).toBe(0);
  });
});

test('dimensions without data do not count', () => {
  const known = scoreExecution(extractOne({ checks: { 2: ['a'] }, required: [] }), inputs);
  expect([known.totalScore, known.maxScore, known.percent, known.grade]).toEqual([40, 40, 100, 'A']);
  const worse = scoreExecution(extractOne({ checks: { 2: ['a', '!b'] }, judge: [0.5] }), { ...inputs, reference: createUsual(50) });
  expect([worse.totalScore, worse.maxScore, worse.percent, worse.grade]).toEqual([50, 80, 63, 'C']);
});

test('gives the same bytes for the same trace, except the timestamp', () => {
  const given: TracedExecution = {
    checks: { 1: ['a'], 2: ['a', '!b'] },
    judge: [0.3],
    forced: [1],
    ...createWarnings('undeclared_write', 2),
  };
  const bytes = (timestamp: string): string => JSON.stringify(scoreExecution(extractOne(given), { ...inputs, timestamp }));
  expect(bytes('a')).toBe(bytes('a'));
  expect(bytes('b')).toBe(bytes('a').replace('"timestamp":"a"', '"timestamp":"b"'));
});

test('lists flags in the order of the dimensions', () => {
  const given: TracedExecution = {
    checks: { 1: ['a'], 2: ['!timeout'] },
    required: [{ path: 'prd.md', completeness: 0 }],
    attempts: 2,
    forced: [1],
  };
  expect(scoreExecution(extractOne(given), { ...inputs, flags: ['line 3 of the trace was changed'] }).flags).toEqual([
    'timeout: timeout does not hold',
    'prd.md is missing or has no content',
    '1 retry',
    'precondition gate was forced',
    'line 3 of the trace was changed',
  ]);
});

test('limits the number of flags', () => {
  const many = Array.from({ length: 30 }, (_, i) => `!check-${i}`);
  const { flags } = scoreExecution(extractOne({ checks: { 2: many } }), inputs);
  expect(flags).toHaveLength(21);
  expect(flags.at(-1)).toBe('and 10 more');
});

test('the total is the sum of the rounded points', () => {
  const third = { path: 'a', completeness: 1 / 3 };
  const { totalScore, dimensions } = scoreExecution(
    extractOne({ checks: checks(['a', '!b', '!c']), required: [third], judge: [1 / 3] }),
    inputs,
  );
  const shown = Object.values(dimensions).map((each) => each.score);
  expect([shown, totalScore]).toEqual([[6.67, 6.67, 6.67, null, 20], 40.01]);
});
