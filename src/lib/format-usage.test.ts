import { expect, test } from 'vitest';
import { formatTokenUsage } from './format-usage.ts';

test.each([
  [0, 0, 0, ''],
  [900, 100, 0, '1000 tokens'],
  [12_000, 800, 0.042, '13k tokens, $0.04'],
  [0, 0, 1.5, '$1.50'],
])('formats %i and %i tokens for %d dollars', (inputTokens, outputTokens, costUsd, text) => {
  expect(formatTokenUsage({ inputTokens, outputTokens, costUsd })).toBe(text);
});
