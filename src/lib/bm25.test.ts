import { expect, test } from 'vitest';
import { scoreBm25 } from './bm25.ts';

test('scores a rare word higher than a common one', () => {
  const [parser, lexer] = scoreBm25('parser lexer', ['the parser', 'the lexer', 'a parser', 'one parser']);
  expect(lexer).toBeGreaterThan(parser!);
});

test('scores a repeated word higher, with diminishing gains', () => {
  const [once, twice, thrice] = scoreBm25('parser', ['parser a b', 'parser parser a', 'parser parser parser']);
  expect(twice! - once!).toBeGreaterThan(thrice! - twice!);
  expect(thrice).toBeGreaterThan(twice!);
});

test('scores a short text higher than a long one with the same words', () => {
  const [short, long, missing] = scoreBm25('parser', ['write parser', 'write parser and many other things around it', 'other']);
  expect(short).toBeGreaterThan(long!);
  expect(long).toBeGreaterThan(0);
  expect(missing).toBe(0);
});

test('returns no score for an empty query or empty texts', () => {
  expect(scoreBm25('', ['parser'])).toEqual([0]);
  expect(scoreBm25('parser', [''])).toEqual([0]);
  expect(scoreBm25('parser', [])).toEqual([]);
});
