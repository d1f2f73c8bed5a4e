import { expect, test } from 'vitest';
import { parseAgo } from './ago.ts';

test.each([
  ['90m', '2026-01-31T22:30:00.000Z'],
  ['12h', '2026-01-31T12:00:00.000Z'],
  ['31d', '2026-01-01T00:00:00.000Z'],
  ['2w', '2026-01-18T00:00:00.000Z'],
  ['2025-12-24', '2025-12-24T00:00:00.000Z'],
])('subtracts %s from the first of February', (text, expected) => {
  expect(parseAgo('2026-02-01T00:00:00.000Z', text)).toBe(expected);
});
