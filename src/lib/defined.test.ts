import { expect, test } from 'vitest';
import { defined } from './defined.ts';

test('drops undefined keys and keeps false, 0, empty text and null', () => {
  const value = { a: undefined as string | undefined, b: false, c: 0, d: '', e: null };
  expect(Object.keys(defined(value))).toEqual(['b', 'c', 'd', 'e']);
});
