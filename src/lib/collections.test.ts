import { expect, test } from 'vitest';
import { addToList, countValues, removeDuplicates } from './collections.ts';

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
