import { expect, test } from 'vitest';
import { defined, omitEmpty } from './defined.ts';

test('drops undefined keys and keeps false, 0, empty text and null', () => {
  const value = { a: undefined as string | undefined, b: false, c: 0, d: '', e: null };
  expect(Object.keys(defined(value))).toEqual(['b', 'c', 'd', 'e']);
});

test('drops empty lists as well and keeps empty text', () => {
  expect(omitEmpty({ a: undefined, b: [], c: [1], d: '', e: false })).toEqual({ c: [1], d: '', e: false });
});
