import { expect, test } from 'vitest';
import { toUid, uidPattern } from './uid.ts';

test.each([
  ['1970-01-01T00:00:00.000Z', '0', '00000000000000000000'],
  ['1970-01-01T00:00:00.032Z', '21', '00000000100000000011'],
  ['2026-01-01T00:00:00.000Z', 'ffffffffffff', '01kdvdna007zzzzzzzzz'],
  ['no time', '1f', '0000000000000000000z'],
  ['1950-01-01T00:00:00.000Z', '1', '00000000000000000001'],
])('encodes %s and %s as %s', (at, hex, uid) => {
  expect(toUid(at, hex)).toBe(uid);
  expect(uid).toMatch(uidPattern);
});

test('ids sort by creation', () => {
  expect(toUid('2026-01-01T00:00:00.000Z', 'ffffffffffff') < toUid('2026-01-01T00:00:00.001Z', '0')).toBe(true);
});
