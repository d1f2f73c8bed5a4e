import { expect, test } from 'vitest';
import { contextExitCodes, findMisorderedLevels, getContextState, isCritical } from './context-window.ts';

const limits = { warning: 70, caution: 85, critical: 90, emergency: 95, staleMinutes: 5 };
const at = '2026-01-01T00:00:00.000Z';
const state = (used: number, now = at) => getContextState({ used, max: 1000, at }, now, limits);

test.each([
  [0, 'ok', undefined],
  [699, 'ok', undefined],
  [700, 'warning', 50],
  [849, 'warning', 50],
  [850, 'caution', 51],
  [899, 'caution', 51],
  [900, 'critical', 52],
  [949, 'critical', 52],
  [950, 'emergency', 53],
  [1200, 'emergency', 53],
])('%i of 1000 tokens is %s', (used, expected, exit) => {
  const found = state(used);
  expect(found).toEqual({ state: expected, percent: Math.floor(used / 10) });
  expect(contextExitCodes[found.state as 'stale']).toBe(exit);
  expect(isCritical(found.state)).toBe(used >= 900);
});

test('a report is valid for five minutes, then stale', () => {
  expect(state(950, '2026-01-01T00:05:00.000Z')).toEqual({ state: 'emergency', percent: 95 });
  expect(state(950, '2026-01-01T00:05:00.001Z')).toEqual({ state: 'stale', percent: 95 });
  expect(getContextState(undefined, at, limits)).toEqual({ state: 'stale' });
});

test.each([
  [{}, undefined],
  [{ warning: 85 }, undefined],
  [{ warning: 86 }, ['warning', 'caution']],
  [{ critical: 80 }, ['caution', 'critical']],
  [{ emergency: 0 }, ['critical', 'emergency']],
])('with %j the misordered levels are %j', (changed, expected) => {
  expect(findMisorderedLevels({ ...limits, ...changed })).toEqual(expected);
});
