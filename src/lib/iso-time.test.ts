import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

test('the same text as that of a Date, for any moment of four-digit years', () => {
  const span = { min: Date.UTC(1000, 0, 1), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) };
  fc.assert(
    fc.property(fc.integer(span), (ms) => {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 2000 },
  );
});

test.each([
  '1970-01-01T00:00:00.000Z',
  '1999-12-31T23:59:59.999Z',
  '2000-02-29T12:00:00.001Z',
  '2024-02-29T00:00:00.000Z',
  '2100-03-01T00:00:00.000Z',
])('%s', (text) => {
  expect(isoTime(Date.parse(text))).toBe(text);
});
