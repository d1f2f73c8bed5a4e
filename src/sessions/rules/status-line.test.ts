import { expect, test } from 'vitest';
import { formatStatusLine, readContextUsage } from './status-line.ts';

const size = { context_window_size: 200_000 };

test.each([
  [{ ...size, current_usage: { input_tokens: 8, cache_creation_input_tokens: 1000, cache_read_input_tokens: 40_000 } }, 41_008],
  [{ ...size, used_percentage: 42.5, current_usage: null }, 85_000],
  [{ ...size, used_percentage: 42.5 }, 85_000],
  [{ ...size, used_percentage: 0 }, 0],
  [{ ...size }, undefined],
  [{ used_percentage: 50 }, undefined],
  [{ ...size, current_usage: { input_tokens: 'many' }, used_percentage: 'half' }, undefined],
])('%j has %s tokens in use', (window, used) => {
  expect(readContextUsage({ context_window: window })).toEqual(used === undefined ? undefined : { used, max: 200_000 });
});

test('returns nothing without a context window', () => {
  expect(readContextUsage(undefined)).toBeUndefined();
  expect(readContextUsage({})).toBeUndefined();
});

test.each([
  [{ context: { state: 'stale' } }, 'no focus | context ?'],
  [{ focus: { id: 'T001', title: 'Write the parser' }, context: { state: 'ok', percent: 12 } }, 'T001 Write the parser | context 12%'],
  [
    {
      session: { name: 'Parser', scope: 'epic:T001' },
      focus: { id: 'T002', title: 'x'.repeat(60) },
      context: { state: 'critical', percent: 91 },
    },
    `T002 ${'x'.repeat(39)}… | Parser | context 91% critical`,
  ],
  [{ session: { scope: 'epic:T001' }, context: { state: 'ok', percent: 3 } }, 'no focus | epic:T001 | context 3%'],
])('formats %j as %s', (parts, line) => {
  expect(formatStatusLine(parts)).toBe(line);
});
