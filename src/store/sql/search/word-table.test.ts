import { expect, test } from 'vitest';
import { createWordTable } from './word-table.ts';

const collect = (...texts: string[]): string[][] => {
  const table = createWordTable();
  return texts.map((text) => {
    const words = new Set<string>();
    table.addNewWords(text, words);
    return [...words];
  });
};

test('returns each word of three letters or more once', () => {
  expect(collect('write the parser of the plan', 'the plan', 'plant a plan')).toEqual([['write', 'the', 'parser', 'plan'], [], ['plant']]);
});

test('accepts empty texts, one word, and spaces at the ends', () => {
  expect(collect('', ' ', 'parser', ' lexer ', 'parser lexer')).toEqual([[], [], ['parser'], ['lexer'], []]);
});

test('tells words with the same hash apart', () => {
  // 'Aa' and 'BB' have one hash under the multiplier 31.
  expect(collect('xAa xBB', 'xAa', 'xBB')).toEqual([['xAa', 'xBB'], [], ['xBB']]);
});

test('offers a long word again in the next text, because it is not stored', () => {
  expect(collect('internationalization', 'internationalization')).toEqual([['internationalization'], ['internationalization']]);
});
