import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toTaskId } from '#core/model/scalars.ts';
import { listIdRanges } from './id-prefix.ts';

test.each([
  { digits: '149', ranges: ['149-149', '1490-1499', '14900-14999'] },
  { digits: '0', ranges: ['1-99'] },
  { digits: '00', ranges: ['1-9'] },
  { digits: '01', ranges: ['1-1', '10-19'] },
  { digits: '014', ranges: ['14-14'] },
  { digits: '0014', ranges: ['14-14'] },
  { digits: '000', ranges: [] },
  { digits: '2147483647', ranges: ['2147483647-2147483647'] },
  { digits: '214748364', ranges: ['214748364-214748364', '2147483640-2147483647'] },
  { digits: '999999999999999', ranges: [] },
])('lists the ranges of ids that begin with $digits', ({ digits, ranges }) => {
  expect(
    listIdRanges(digits)
      .slice(0, 3)
      .map(({ from, to }) => `${from}-${to}`),
  ).toEqual(ranges);
});

test('an id is in the ranges of each of its prefixes, and ranges do not overlap', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.nat({ max: 9 }), (n, length) => {
      const printed = toTaskId(n).slice(1);
      const ranges = listIdRanges(printed.slice(0, 1 + (length % printed.length)));
      expect(ranges.filter(({ from, to }) => from <= n && n <= to)).toHaveLength(1);
      for (const [i, { from }] of ranges.entries()) expect(from).toBeGreaterThan(ranges[i - 1]?.to ?? 0);
    }),
  );
});
