import { expect, test } from 'vitest';
import { type ConflictPolicy, choosePreferred, chooseSide, mergeLists, mergeThreeWay } from './three-way.ts';

test.each<[ConflictPolicy, string | undefined, string | undefined, string]>([
  ['newer', '2026-01-01', '2026-01-02', 'theirs'],
  ['newer', '2026-01-02', '2026-01-01', 'ours'],
  ['newer', '2026-01-01', '2026-01-01', 'ours'],
  ['newer', undefined, '2026-01-01', 'theirs'],
  ['newer', '2026-01-01', undefined, 'ours'],
  ['newer', undefined, undefined, 'ours'],
  ['ours', '2026-01-01', '2026-01-02', 'ours'],
  ['theirs', '2026-01-02', '2026-01-01', 'theirs'],
])('policy %s prefers, of the times %s and %s, %s', (policy, ours, theirs, preferred) => {
  expect(choosePreferred(policy, ours, theirs)).toBe(preferred);
});

test.each([
  [{ isChangedHere: false, isChangedThere: false, isEqual: true }, 'ours', false],
  [{ isChangedHere: true, isChangedThere: false, isEqual: false }, 'ours', false],
  [{ isChangedHere: false, isChangedThere: true, isEqual: false }, 'theirs', false],
  [{ isChangedHere: true, isChangedThere: true, isEqual: true }, 'ours', false],
  [{ isChangedHere: true, isChangedThere: true, isEqual: false }, 'theirs', true],
])('the changes %j take the value of %s', (changes, side, isConflict) => {
  expect(chooseSide(changes, 'theirs')).toEqual({ side, isConflict });
});

test('lists lose what either side removed, and get what either side added', () => {
  expect(mergeLists(['a', 'b', 'c'], ['a', 'b', 'here'], ['there', 'a', 'c'])).toEqual(['there', 'a', 'here']);
  expect(mergeLists<string>([], ['same', 'here'], ['same'])).toEqual(['same', 'here']);
});

test('a record is merged by field, lists by item, and only a value that both changed is a conflict', () => {
  const base = { title: 'a', size: 's', phase: 'p', labels: ['x'] };
  const ours = { title: 'here', size: 'm', phase: 'p', labels: ['x', 'here'], other: 1 };
  const theirs = { title: 'there', size: 's', phase: 'q', labels: ['there'], other: 2 };
  const fields = ['title', 'size', 'phase', 'labels'] as const;
  for (const [preferred, title] of [
    ['ours', 'here'],
    ['theirs', 'there'],
  ] as const)
    expect(mergeThreeWay<typeof ours>(base, ours, theirs, { preferred, fields, lists: ['labels'] })).toEqual({
      merged: { title, size: 'm', phase: 'q', labels: ['there', 'here'], other: 1 },
      conflicts: [{ field: 'title', kept: preferred }],
    });
});
