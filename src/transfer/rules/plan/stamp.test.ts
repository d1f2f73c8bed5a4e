import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStamp, findLatestStamp, getStampReplica, getStampTime, isStamp, maxDriftMs, nextStamp } from './stamp.ts';

const noon = Date.UTC(2026, 10, 16, 12);

test('a stamp has time, counter and replica, and sorts as a text', () => {
  const stamp = createStamp(noon, '9f0c');
  expect(stamp).toBe('2026-11-16T12:00:00.000Z.0000.9f0c');
  expect([getStampTime(stamp), getStampReplica(stamp)]).toEqual(['2026-11-16T12:00:00.000Z', '9f0c']);
  expect(nextStamp(stamp, noon, '9f0c')).toBe('2026-11-16T12:00:00.000Z.0001.9f0c');
  expect(nextStamp(stamp, noon + 1, '9f0c')).toBe('2026-11-16T12:00:00.001Z.0000.9f0c');
  expect(nextStamp(`2026-11-16T12:00:00.000Z.ffff.9f0c`, noon, '9f0c')).toBe('2026-11-16T12:00:00.001Z.0000.9f0c');
});

test('stamps of a replica increase, also if its clock is set back', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1000, max: 253_402_214_400_000 }), { minLength: 2, maxLength: 50 }), (times) => {
      let previous: string | undefined;
      for (const ms of times) {
        const stamp = nextStamp(previous, ms, 'a');
        expect(isStamp(stamp)).toBe(true);
        if (previous !== undefined) expect(stamp > previous).toBe(true);
        previous = stamp;
      }
    }),
  );
});

test('an edit follows stamps of others, unless their clock is more than a day ahead', () => {
  const [near, far] = [createStamp(noon + 60_000, 'b'), createStamp(noon + maxDriftMs + 1, 'c')];
  expect(findLatestStamp({ b: near, c: far }, 'a', noon)).toBe(near);
  expect(findLatestStamp({ a: far, b: near }, 'a', noon)).toBe(far);
  expect(findLatestStamp({}, 'a', noon)).toBeUndefined();
});

test.each([
  '',
  'x',
  '2026-11-16T12:00:00.000Z',
  '2026-11-16T12:00:00.000Z.0000.',
  '2026-11-16T12:00:00.000Z.0000.constructor',
  '2026-13-16T12:00:00.000Z.0000.a',
  '2026-11-16T12:00:00Z.0000.a',
])('%j is not a stamp', (text) => {
  expect(isStamp(text)).toBe(false);
});
