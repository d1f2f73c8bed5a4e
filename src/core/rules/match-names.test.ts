import { expect, test } from 'vitest';
import { matchNames } from './match-names.ts';

const names = ['grammar-notes Notes on the grammar', 'logo Logo of the parser', 'parser-plan Plan of the parser', 'knots Sheet of knots'];

test.each<[string, number[]]>([
  ['', [0, 1, 2, 3]],
  ['  ', [0, 1, 2, 3]],
  ['gram', [0]],
  ['PARSER', [1, 2]],
  ['plan parser', [2]],
  // A word that matches exactly leaves out those with typos.
  ['notes', [0]],
  ['grammra', [0]],
  ['parsre plna', [2]],
  ['nots', [0, 3]],
  ['parser zebra', []],
  ['---', []],
])('%j finds %j', (query, found) => {
  expect(matchNames(names, query, (name) => name)).toEqual(found.map((i) => names[i]));
});

test('finds the last of 10,000 names', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ id: `session-${i}`, name: i === 9999 ? 'Survey of shells' : `Part ${i}` }));
  expect(matchNames(many, 'shells', ({ id, name }) => `${id} ${name}`)).toEqual([many[9999]]);
});
