import { expect, test } from 'vitest';
import { type ConfigKey, configFromText, configProblem, flattenConfig } from './config.ts';

test.each<[ConfigKey, unknown, boolean]>([
  ['hierarchy.maxSiblings', 0, true],
  ['hierarchy.maxSiblings', 7.5, false],
  ['hierarchy.maxSiblings', -1, false],
  ['hierarchy.maxSiblings', '7', false],
  ['hierarchy.maxSiblings', 3_000_000_000, false],
  ['hierarchy.autoCompleteParents', true, true],
  ['hierarchy.autoCompleteParents', 'true', false],
  ['store.durability', 'normal', true],
  ['store.durability', 'off', false],
  ['store.url', '', true],
  ['store.url', null, false],
  ['project.key', 'shop_3f9a', true],
  ['project.key', 'x"; drop schema public; --', false],
  ['project.key', 'x'.repeat(51), false],
])('%s = %j: %s', (key, value, isValid) => {
  expect(configProblem(key, value) === undefined).toBe(isValid);
});

test.each<[ConfigKey, string, unknown]>([
  ['backup.keep', '12', 12],
  ['backup.keep', '1e3', '1e3'],
  ['hierarchy.autoCompleteParents', 'false', false],
  ['hierarchy.autoCompleteParents', 'yes', 'yes'],
  ['store.durability', 'full', 'full'],
])('%s from the text %j', (key, text, value) => {
  expect(configFromText(key, text)).toBe(value);
});

test('a tree becomes keys; everything that is not a valid key and value is told', () => {
  expect(
    flattenConfig({
      $schema: './config.schema.json',
      hierarchy: { maxSiblings: 9, maxDepth: 4 },
      store: { durability: 'fast' },
      claims: 5,
      'a.b': 1,
      other: { key: [] },
    }),
  ).toEqual({
    values: { 'hierarchy.maxSiblings': 9 },
    problems: [
      { key: 'hierarchy.maxDepth', problem: 'is not a key', unknown: true },
      { key: 'store.durability', problem: 'must be one of full, normal' },
      { key: 'claims', problem: 'is not a key', unknown: true },
      { key: 'a.b', problem: 'is not a key', unknown: true },
      { key: 'other', problem: 'is not a key', unknown: true },
    ],
  });
  for (const tree of [[], 'text', null, 7]) expect(flattenConfig(tree).problems).toEqual([{ key: '', problem: 'must be a JSON object' }]);
});
