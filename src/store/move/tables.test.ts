import { expect, test } from 'vitest';
import { formatMarker, parseMarker } from './marker.ts';
import { sortByReferences, type TableShape } from './tables.ts';

const table = (name: string, ...references: string[]): TableShape => ({ name, columns: [], key: [], references });

test.each([
  ['no references', [table('a'), table('b')], ['a', 'b']],
  ['a chain', [table('a', 'b'), table('b', 'c'), table('c')], ['c', 'b', 'a']],
  ['itself', [table('a', 'a', 'b'), table('b')], ['b', 'a']],
  ['a circle', [table('a', 'b'), table('b', 'a')], ['b', 'a']],
  ['a table that is not copied', [table('a', 'x')], ['a']],
])('a table follows those it refers to: %s', (_, tables, expected) => {
  expect(sortByReferences(tables).map(({ name }) => name)).toEqual(expected);
});

test.each(['', '{', 'null', '[]', '{"state":"other"}'])('a marker that cannot be read keeps the store from being written: %s', (text) => {
  expect(parseMarker(text)).toEqual({ state: 'moved', place: 'another place', at: '' });
});

test('a marker is read as it was written', () => {
  const marker = { state: 'incoming', place: '/p/.cleo/cleo.db', at: '2026-01-01T00:00:00.000Z' } as const;
  expect(parseMarker(formatMarker(marker))).toEqual(marker);
});
