import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIsoTime } from './iso-time.ts';

test.each([
  '1970-01-01T00:00:00.000Z',
  '1972-02-29T23:59:59.999Z',
  '1999-12-31T23:59:59.999Z',
  '2000-02-29T12:00:00.001Z',
  '2000-03-01T00:00:00.000Z',
  '2100-02-28T23:59:59.999Z',
  '2100-03-01T00:00:00.000Z',
  '2400-02-29T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '1969-12-31T23:59:59.999Z',
  '+010000-01-01T00:00:00.000Z',
])('formats %s', (text) => {
  expect(formatIsoTime(Date.parse(text))).toBe(text);
});

test('equals toISOString for every time', () => {
  fc.assert(fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (ms) => formatIsoTime(ms) === new Date(ms).toISOString()));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => formatIsoTime(ms) === new Date(ms).toISOString()),
    {
      numRuns: 2000,
    },
  );
});

test('throws for a time that does not exist', () => {
  expect(() => formatIsoTime(Number.NaN)).toThrow(RangeError);
});
