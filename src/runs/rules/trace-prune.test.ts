import { expect, test } from 'vitest';
import { findHashes, type PruneCandidate, planPrune } from './trace-prune.ts';

const now = '2026-03-01T00:00:00.000Z';
const createRun = (runId: string, days: number, more: Partial<PruneCandidate> = {}): PruneCandidate => ({
  ...{ runId, isLive: false, hasOpenReview: false, retentionDays: 30 },
  lastAt: new Date(Date.parse(now) - days * 86_400_000).toISOString(),
  ...more,
});

test('removes runs older than 30 days unless they are under review', () => {
  const runs = [createRun('a', 31), createRun('b', 29), createRun('c', 31, { hasOpenReview: true })];
  expect(planPrune(runs, { now, days: 30, isAll: false })).toEqual({ remove: ['a'], spared: [{ runId: 'c', why: 'open_review' }] });
});

test.each<[string, PruneCandidate, { days?: number; isAll?: boolean }, 'remove' | 'spare' | 'keep']>([
  ['its retention has ended', createRun('r', 30), {}, 'remove'],
  ['its retention ends in a moment', createRun('r', 29.999), {}, 'keep'],
  ['a shorter retention', createRun('r', 8, { retentionDays: 7 }), {}, 'remove'],
  ['days replace its retention', createRun('r', 8, { retentionDays: 7 }), { days: 30 }, 'keep'],
  ['kept forever', createRun('r', 999, { retentionDays: null }), {}, 'keep'],
  ['kept forever, with days', createRun('r', 999, { retentionDays: null }), { days: 30 }, 'spare'],
  ['kept forever, with days and all', createRun('r', 999, { retentionDays: null }), { days: 30, isAll: true }, 'remove'],
  ['kept forever, with all', createRun('r', 999, { retentionDays: null }), { isAll: true }, 'keep'],
  ['deleted when it ends', createRun('r', 0, { retentionDays: 0 }), {}, 'remove'],
  ['deleted when it ends, with a date in the future', createRun('r', -5, { retentionDays: 0 }), {}, 'remove'],
  ['deleted when it ends, still live', createRun('r', 0, { retentionDays: 0, isLive: true }), {}, 'spare'],
  ['live', createRun('r', 31, { isLive: true }), {}, 'spare'],
  ['live, with all', createRun('r', 31, { isLive: true }), { isAll: true }, 'remove'],
  ['recent, with all', createRun('r', 1), { isAll: true }, 'keep'],
  ['a date in the future', createRun('r', -40), {}, 'keep'],
  ['an invalid date', createRun('r', 0, { lastAt: 'never' }), {}, 'keep'],
])('%s', (_, run, { days, isAll = false }, expected) => {
  const { remove, spared } = planPrune([run], { now, days, isAll });
  expect(remove.length === 1 ? 'remove' : spared.length === 1 ? 'spare' : 'keep').toBe(expected);
});

test('finds the hashes that a trace refers to', () => {
  const [one, other] = ['a'.repeat(64), 'b'.repeat(64)];
  expect([...findHashes(`{"blob":"${one}"} ${one} ${other}0 x${other}`)]).toEqual([one]);
});
