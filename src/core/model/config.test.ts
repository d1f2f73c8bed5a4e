import { expect, test } from 'vitest';
import { type ConfigKey, checkConfigValue, flattenConfig } from './config.ts';
import { parseConfigValue } from './config-text.ts';

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
  ['agents', ['ada', 'bob'], true],
  ['agents', 'ada', false],
  ['agents', [1], false],
  ['verification.tools.test', 'npm test', true],
  ['verification.tools.test', ['npm', 'test'], true],
  ['verification.tools.test', ' ', false],
  ['verification.tools.test', [], false],
  ['verification.tools.test', ['npm\0', 'test'], false],
  ['verification.tools.test', { run: 'npm test' }, false],
  ['verification.gates.testsPassed', ['tool:test+tool:lint', 'run'], true],
  ['verification.gates.testsPassed', ['tests'], false],
  ['verification.gates.testsPassed', ['commit:HEAD'], false],
  ['verification.gates.testsPassed', ['+tool'], false],
  ['verification.gates.testsPassed', [], false],
  ['verification.observers.testsPassed', ['ci'], true],
  ['verification.independence', 'none', false],
])('%s = %j is valid: %s', (key, value, isValid) => {
  expect(checkConfigValue(key, value) === undefined).toBe(isValid);
});

test.each<[ConfigKey, string, unknown]>([
  ['backup.keep', '12', 12],
  ['backup.keep', '1e3', '1e3'],
  ['hierarchy.autoCompleteParents', 'false', false],
  ['hierarchy.autoCompleteParents', 'yes', 'yes'],
  ['store.durability', 'full', 'full'],
  ['agents', 'ada, bob', ['ada', 'bob']],
  ['agents', '["ada"]', ['ada']],
  ['verification.tools.test', 'npm test', 'npm test'],
  ['verification.tools.test', '["npm","run","a b"]', ['npm', 'run', 'a b']],
  ['verification.tools.test', '[npm', '[npm'],
])('parses %s from %j', (key, text, value) => {
  expect(parseConfigValue(key, text)).toEqual(value);
});

test('flattens a tree and lists every invalid key and value', () => {
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

test('a policy names gates that exist', () => {
  expect(flattenConfig({ verification: { gates: { tested: ['tool'] }, observers: { qaPassed: ['ci'] } } })).toEqual({
    values: { 'verification.observers.qaPassed': ['ci'] },
    problems: [{ key: 'verification.gates.tested', problem: 'is not a key', unknown: true }],
  });
});

test('accepts keys that are named by the user', () => {
  expect(flattenConfig({ agents: ['ada'], verification: { maxRounds: 3, tools: { test: 'npm test', 'bad name': 'x', lint: 7 } } })).toEqual(
    {
      values: { agents: ['ada'], 'verification.maxRounds': 3, 'verification.tools.test': 'npm test' },
      problems: [
        { key: 'verification.tools.bad name', problem: 'is not a key', unknown: true },
        { key: 'verification.tools.lint', problem: 'must be a command: a string, or a list of words' },
      ],
    },
  );
});
