import { expect, test } from 'vitest';
import { parseYaml, parseYamlDocument } from './parse-yaml.ts';

const nest = (open: string, depth: number, close = ''): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
const nestBlocks = (depth: number): string => Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}a:\n`).join('');

test.each([
  ['lists in one line', nest('[', 90, ']')],
  ['maps in one line', nest('{a: ', 90, '}')],
  ['block lists', nest('- ', 90)],
  ['block maps', nestBlocks(90)],
  ['a long flat list', '- [a, {b: c}]\n'.repeat(2000)],
  ['brackets inside a block of text', `text: |\n  ${'['.repeat(500)}\n`],
  ['brackets inside quotes', `text: "${'[{'.repeat(500)}"\n`],
])('reads %s', (_, yaml) => {
  expect(parseYamlDocument(yaml).errors).toEqual([]);
});

test.each([
  ['lists', '['.repeat(60_000)],
  ['closed lists', nest('[', 60_000, ']')],
  ['maps', '{a: '.repeat(20_000)],
  ['block lists', '- '.repeat(60_000)],
  ['explicit keys', '? '.repeat(60_000)],
  ['block maps', nestBlocks(2000)],
  ['a mix', '- [{a: '.repeat(10_000)],
])('reports %s that are nested too deeply', (_, yaml) => {
  expect(parseYamlDocument(yaml).errors).toMatchObject([{ message: expect.stringMatching(/nested too deeply/) }]);
  expect(() => parseYaml(yaml)).toThrow(/nested too deeply/);
});

test('parses values, and throws for text that is not valid', () => {
  expect(parseYaml('a: 1\nb: [x, 2026-01-01]\n')).toEqual({ a: 1, b: ['x', '2026-01-01'] });
  expect(() => parseYaml('a: [1')).toThrow();
});
