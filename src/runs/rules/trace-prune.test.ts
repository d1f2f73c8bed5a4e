import { expect, test } from 'vitest';
import { hashesIn, type PruneCandidate, prunePlan } from './trace-prune.ts';

const now = '2026-03-01T00:00:00.000Z';
const aged = (runId: string, days: number, more: Partial<PruneCandidate> = {}): PruneCandidate => ({
  ...{ runId, isLive: false, hasOpenReview: false, retentionDays: 30 },
  lastAt: new Date(Date.parse(now) - days * 86_400_000).toISOString(),
  ...more,
});

test('of runs aged 31, 29 and 31 days, the third under review, only the first goes', () => {
  const runs = [aged('a', 31), aged('b', 29), aged('c', 31, { hasOpenReview: true })];
  expect(prunePlan(runs, { now, days: 30, isAll: false })).toEqual({ remove: ['a'], spared: [{ runId: 'c', why: 'open_review' }] });
});

test.each<[string, PruneCandidate, { days?: number; isAll?: boolean }, 'remove' | 'spare' | 'keep']>([
  ['its time is up', aged('r', 30), {}, 'remove'],
  ['a moment before', aged('r', 29.999), {}, 'keep'],
  ['a shorter retention of its own', aged('r', 8, { retentionDays: 7 }), {}, 'remove'],
  ['days take its place', aged('r', 8, { retentionDays: 7 }), { days: 30 }, 'keep'],
  ['kept', aged('r', 999, { retentionDays: null }), {}, 'keep'],
  ['kept, though days are named', aged('r', 999, { retentionDays: null }), { days: 30 }, 'spare'],
  ['kept, but all are meant', aged('r', 999, { retentionDays: null }), { days: 30, isAll: true }, 'remove'],
  ['kept, and no days are named', aged('r', 999, { retentionDays: null }), { isAll: true }, 'keep'],
  ['gone when it ends', aged('r', 0, { retentionDays: 0 }), {}, 'remove'],
  ['gone when it ends, in the future', aged('r', -5, { retentionDays: 0 }), {}, 'remove'],
  ['gone when it ends, and it has not', aged('r', 0, { retentionDays: 0, isLive: true }), {}, 'spare'],
  ['live', aged('r', 31, { isLive: true }), {}, 'spare'],
  ['live, but all are meant', aged('r', 31, { isLive: true }), { isAll: true }, 'remove'],
  ['young, and all are meant', aged('r', 1), { isAll: true }, 'keep'],
  ['of the future', aged('r', -40), {}, 'keep'],
  ['of no time', aged('r', 0, { lastAt: 'never' }), {}, 'keep'],
])('%s', (_, run, { days, isAll = false }, expected) => {
  const { remove, spared } = prunePlan([run], { now, days, isAll });
  expect(remove.length === 1 ? 'remove' : spared.length === 1 ? 'spare' : 'keep').toBe(expected);
});

test('what a trace refers to', () => {
  const [one, other] = ['a'.repeat(64), 'b'.repeat(64)];
  expect([...hashesIn(`{"blob":"${one}"} ${one} ${other}0 x${other}`)]).toEqual([one]);
});
