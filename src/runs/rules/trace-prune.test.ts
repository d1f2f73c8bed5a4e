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
  expect(planPrune(runs, { now, days: 30, isAll: false })).toEqual({ remove: ['a'], kept: [{ runId: 'c', reason: 'open_review' }] });
});

test.each<[string, PruneCandidate, { days?: number; isAll?: boolean }, 'remove' | 'held' | 'not due']>([
  ['its retention has ended', createRun('r', 30), {}, 'remove'],
  ['its retention ends in a moment', createRun('r', 29.999), {}, 'not due'],
  ['a shorter retention', createRun('r', 8, { retentionDays: 7 }), {}, 'remove'],
  ['days replace its retention', createRun('r', 8, { retentionDays: 7 }), { days: 30 }, 'not due'],
  ['kept forever', createRun('r', 999, { retentionDays: null }), {}, 'not due'],
  ['kept forever, with days', createRun('r', 999, { retentionDays: null }), { days: 30 }, 'held'],
  ['kept forever, with days and all', createRun('r', 999, { retentionDays: null }), { days: 30, isAll: true }, 'remove'],
  ['kept forever, with all', createRun('r', 999, { retentionDays: null }), { isAll: true }, 'not due'],
  ['deleted when it ends', createRun('r', 0, { retentionDays: 0 }), {}, 'remove'],
  ['deleted when it ends, with a date in the future', createRun('r', -5, { retentionDays: 0 }), {}, 'remove'],
  ['deleted when it ends, still live', createRun('r', 0, { retentionDays: 0, isLive: true }), {}, 'held'],
  ['live', createRun('r', 31, { isLive: true }), {}, 'held'],
  ['live, with all', createRun('r', 31, { isLive: true }), { isAll: true }, 'remove'],
  ['recent, with all', createRun('r', 1), { isAll: true }, 'not due'],
  ['a date in the future', createRun('r', -40), {}, 'not due'],
  ['an invalid date', createRun('r', 0, { lastAt: 'never' }), {}, 'not due'],
])('%s', (_, run, { days, isAll = false }, expected) => {
  const { remove, kept } = planPrune([run], { now, days, isAll });
  expect(remove.length === 1 ? 'remove' : kept.length === 1 ? 'held' : 'not due').toBe(expected);
});

test('finds the hashes that a trace refers to', () => {
  const [one, other] = ['a'.repeat(64), 'b'.repeat(64)];
  expect([...findHashes(`{"blob":"${one}"} ${one} ${other}0 x${other}`)]).toEqual([one]);
});
