import { expect, test } from 'vitest';
import { findSimilarWords, measureSimilarity, rankBySimilarity } from './similarity.ts';

test('decreases from the word itself to an unrelated word', () => {
  const falling = ['parser', 'parsers', 'parsen', 'paresn', 'sparse', 'lexer'].map((other) => measureSimilarity('parser', other));
  expect(falling).toEqual([...falling].sort((a, b) => b - a));
  expect(falling[0]).toBe(100);
  expect(measureSimilarity('parser', 'quokka')).toBe(0);
  expect(measureSimilarity('ab', 'ac')).toBe(0);
});

test('returns the word itself, then the most similar words', () => {
  expect(findSimilarWords('parser', ['quokka', 'parse', 'parsers']).map(({ word }) => word)).toEqual(['parser', 'parsers', 'parse']);
});

test('ranks more matches first, in the text too, and valid before outdated entries', () => {
  const wanted = [findSimilarWords('parser', ['parsers']), findSimilarWords('grammar', [])];
  const one = (id: string, title: string, text: string, over = 0) => ({ id, title, labels: [], text, over });
  const all = [
    one('a', 'Parser', ''),
    one('b', 'Other', 'a parser and its grammar'),
    one('c', 'Parsers', 'grammar'),
    one('d', 'Other', 'parser'),
    one('e', 'Other', 'parser', 1),
  ];
  expect(rankBySimilarity(wanted, all, ({ over }) => ({ outdated: over, early: 0, late: 0, seq: 0 })).map(({ id }) => id)).toEqual([
    'c',
    'b',
    'a',
    'd',
    'e',
  ]);
});
