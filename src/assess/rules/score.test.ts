import { describe, expect, test } from 'vitest';
import { sha256 } from '#lib/sha256.ts';
import { readTrace } from '#runs/rules/trace.ts';
import { type Traced, traceText } from '../../../test/traced.ts';
import { factsOf } from './facts.ts';
import type { Reference } from './reference.ts';
import { score } from './score.ts';

const traceOf = (...executions: Traced[]) =>
  factsOf(readTrace(traceText('run-1', '2026-01-31', executions), sha256).lines.map(({ line }) => line)).executions;
const factsFor = (given: Traced) => traceOf(given)[0]!;
const about = { reference: {} as Reference, human: [] as number[], timestamp: '2026-02-01T00:00:00.000Z' };
const usual = (value: number): Reference => ({ durationMs: { value, source: 'usual' } });

const checks = (two: string[], three: string[] = []): Record<number, string[]> => ({ 2: two, 3: three });

describe('correctness', () => {
  test.each<[why: string, given: Traced, points: number | null]>([
    ['all checks of gates 2 and 3', { checks: checks(['a', 'b'], ['c']) }, 20],
    ['a share of them', { checks: checks(['a', 'b'], ['!c', 'd']) }, 15],
    ['thirds are rounded to two places', { checks: checks(['a', 'b'], ['!c']) }, 13.33],
    ['checks of other gates do not count', { checks: { 1: ['!x'], 2: ['a'] } }, 20],
    ['what is half done is at most half correct', { exitCode: 4, checks: checks(['a', 'b', 'c', '!d']) }, 10],
    ['and less where less passed', { exitCode: 4, checks: checks(['a', '!b', '!c', '!d']) }, 5],
    ['a failure', { exitCode: 84, checks: checks(['a', 'b']) }, 0],
    ['blocked', { exitCode: 80 }, 0],
    ['out of time', { exitCode: 81 }, 0],
    ['no check at all', { checks: {} }, null],
  ])('%s', (_, given, points) => {
    expect(score(factsFor(given), about).dimensions.correctness).toMatchObject({ score: points, max: points === null ? 0 : 20 });
  });
});

describe('completeness', () => {
  test.each<[why: string, given: Traced, points: number | null]>([
    [
      'the mean over what had to be made',
      {
        required: [
          { path: 'a', completeness: 1 },
          { path: 'b', completeness: 0.5 },
        ],
      },
      15,
    ],
    ['what is missing is nothing', { required: [{ path: 'a', completeness: 0 }] }, 0],
    ['nothing had to be made', { required: [] }, null],
    ['the trace does not say', { required: null }, null],
    ['where nothing ran, what lies there is not its work', { exitCode: 66, attempts: 0, required: [{ path: 'a', completeness: 1 }] }, 0],
  ])('%s', (_, given, points) => {
    expect(score(factsFor(given), about).dimensions.completeness.score).toBe(points);
  });
});

describe('quality', () => {
  test.each<[why: string, judge: number[], human: number[], points: number | null, evaluator: string]>([
    ['nobody', [], [], null, 'auto'],
    ['the mean of the judge', [0.5, 0.7], [], 12, 'judge'],
    ['people before the judge', [0.1], [0.8, 1], 18, 'human'],
  ])('%s', (_, judge, human, points, evaluator) => {
    const found = score(factsFor({ judge }), { ...about, human });
    expect([found.dimensions.quality.score, found.evaluator]).toEqual([points, evaluator]);
  });
});

describe('efficiency', () => {
  test.each<[why: string, given: Traced, reference: Reference, points: number | null]>([
    ['as quick as usual', { durationMs: 100 }, usual(100), 20],
    ['quicker earns no more', { durationMs: 1 }, usual(100), 20],
    ['twice as long is half', { durationMs: 200 }, usual(100), 10],
    ['three times as long is nothing', { durationMs: 300 }, usual(100), 0],
    ['longer still, too', { durationMs: 3000 }, usual(100), 0],
    ['a retry costs 4', { durationMs: 100, attempts: 3 }, usual(100), 12],
    ['never below nothing', { durationMs: 300, attempts: 3 }, usual(100), 0],
    ['nothing is usual', { durationMs: 100 }, {}, null],
    ['nothing ran', { exitCode: 66, attempts: 0 }, usual(100), null],
    ['tokens count where they are worse', { usage: { total_tokens: 200 } }, { ...usual(100), tokens: { value: 100, source: 'usual' } }, 10],
    ['time counts where it is worse', { durationMs: 200, usage: { tokens: 1 } }, { ...usual(100), tokens: { value: 100, source: '' } }, 10],
    ['tokens that nobody reports', { durationMs: 100 }, { ...usual(100), tokens: { value: 100, source: '' } }, 20],
    ['what usually takes no time', { durationMs: 2 }, usual(0), 10],
  ])('%s', (_, given, reference, points) => {
    expect(score(factsFor(given), { ...about, reference }).dimensions.efficiency.score).toBe(points);
  });
});

const warned = (code: string, times: number): Traced => ({
  warnings: Array.from({ length: times }, (_, i) => ({ code, message: `file-${i} was created, and is no output` })),
});

describe('compliance', () => {
  test.each<[why: string, given: Traced, points: number]>([
    ['nothing departs', {}, 20],
    ['a forced gate', { forced: [1] }, 15],
    ['two forced gates', { checks: { 1: ['!a'], 2: ['b'], 3: ['!c'] }, forced: [1, 3] }, 10],
    ['an undeclared write', warned('undeclared_write', 1), 17],
    ['three of them', warned('undeclared_write', 3), 11],
    ['and no more for the fourth', warned('undeclared_write', 4), 11],
    ['an undeclared code', warned('undeclared_exit_code', 1), 18],
    ['a claim that is not so', warned('status_mismatch', 1), 18],
    ['other warnings', warned('leaked_process', 5), 20],
  ])('%s', (_, given, points) => {
    expect(score(factsFor(given), about).dimensions.compliance.score).toBe(points);
  });

  const refused = { from: 'discovery', accepted: false };
  test('a rejected handoff is charged to whoever handed it on', () => {
    const [sender, receiver] = traceOf({}, { phase: 'design', exitCode: 80, attempts: 0, handoffs: [refused] });
    expect(score(sender!, about).dimensions.compliance).toMatchObject({
      score: 15,
      evidence: ['-5 handoff from discovery to design was rejected: discovery is not enough'],
    });
    expect(score(receiver!, about).dimensions.compliance.score).toBe(20);
  });

  test('where the sender had no part in the run, to whom it was handed', () => {
    const [receiver] = traceOf({ phase: 'design', exitCode: 80, attempts: 0, handoffs: [refused] });
    expect(score(receiver!, about).dimensions.compliance.score).toBe(15);
  });

  test('never below nothing', () => {
    const [sender] = traceOf(
      { checks: { 1: ['!a'], 2: ['!b'], 3: ['!c'] }, forced: [1, 3], ...warned('undeclared_write', 9) },
      { phase: 'design', handoffs: [refused] },
    );
    expect(score(sender!, about).dimensions.compliance.score).toBe(0);
  });
});

test('what nothing is known of counts neither for nor against', () => {
  const known = score(factsFor({ checks: { 2: ['a'] }, required: [] }), about);
  expect([known.totalScore, known.maxScore, known.percent, known.grade]).toEqual([40, 40, 100, 'A']);
  const worse = score(factsFor({ checks: { 2: ['a', '!b'] }, judge: [0.5] }), { ...about, reference: usual(50) });
  expect([worse.totalScore, worse.maxScore, worse.percent, worse.grade]).toEqual([50, 80, 63, 'C']);
});

test('the same trace gives the same bytes, but for the moment', () => {
  const given: Traced = { checks: { 1: ['a'], 2: ['a', '!b'] }, judge: [0.3], forced: [1], ...warned('undeclared_write', 2) };
  const bytes = (timestamp: string): string => JSON.stringify(score(factsFor(given), { ...about, timestamp }));
  expect(bytes('a')).toBe(bytes('a'));
  expect(bytes('b')).toBe(bytes('a').replace('"timestamp":"a"', '"timestamp":"b"'));
});

test('what stands out is told in the order of the dimensions', () => {
  const given: Traced = {
    checks: { 1: ['a'], 2: ['!timeout'] },
    required: [{ path: 'prd.md', completeness: 0 }],
    attempts: 2,
    forced: [1],
  };
  expect(score(factsFor(given), { ...about, flags: ['line 3 of the trace is not what was written'] }).flags).toEqual([
    'timeout: timeout does not hold',
    'nothing of prd.md is there',
    '1 retry',
    'gate precondition was forced',
    'line 3 of the trace is not what was written',
  ]);
});

test('of very many things some are named', () => {
  const many = Array.from({ length: 30 }, (_, i) => `!check-${i}`);
  const { flags } = score(factsFor({ checks: { 2: many } }), about);
  expect(flags).toHaveLength(21);
  expect(flags.at(-1)).toBe('and 10 more');
});

test('the total is the sum of what is shown', () => {
  const third = { path: 'a', completeness: 1 / 3 };
  const { totalScore, dimensions } = score(factsFor({ checks: checks(['a', '!b', '!c']), required: [third], judge: [1 / 3] }), about);
  const shown = Object.values(dimensions).map((each) => each.score);
  expect([shown, totalScore]).toEqual([[6.67, 6.67, 6.67, null, 20], 40.01]);
});
