import { expect, test } from 'vitest';
import { addToList, countValues, defined, omitEmpty, removeDuplicates } from './collections.ts';

test('adds to an existing list and creates a missing one', () => {
  const lists = new Map([['a', [1]]]);
  addToList(lists, 'a', 2);
  addToList(lists, 'b', 3);
  expect([...lists]).toEqual([
    ['a', [1, 2]],
    ['b', [3]],
  ]);
});

test('keeps the first of equal items', () => {
  expect(removeDuplicates(['b', 'a', 'b'])).toEqual(['b', 'a']);
});

test('counts equal values in the order of their first occurrence', () => {
  expect(Object.entries(countValues(['b', 'a', 'b']))).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
});

test('drops undefined keys and keeps false, 0, empty text and null', () => {
  const value = { a: undefined as string | undefined, b: false, c: 0, d: '', e: null };
  expect(Object.keys(defined(value))).toEqual(['b', 'c', 'd', 'e']);
});

test('drops empty lists as well and keeps empty text', () => {
  expect(omitEmpty({ a: undefined, b: [], c: [1], d: '', e: false })).toEqual({ c: [1], d: '', e: false });
});
