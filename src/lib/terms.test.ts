import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinTerms, measureDistance, toTerms, toTrigrams } from './terms.ts';

test.each([
  { text: 'Write the Parser', words: ['write', 'the', 'parser'] },
  { text: 'parse_params(v2): foo-bar', words: ['parse', 'params', 'v2', 'foo', 'bar'] },
  { text: '', words: [] },
  { text: '!!! … —', words: [] },
  { text: 'Über Ångström Café', words: ['uber', 'angstrom', 'cafe'] },
  { text: 'ﬁle ①', words: ['file', '1'] },
  { text: 'Привет, мир', words: ['привет', 'мир'] },
  { text: '解析器を書く', words: ['解', '析', '器', 'を', '書', 'く'] },
  { text: 'Node漢字v2', words: ['node', '漢', '字', 'v2'] },
  { text: 'שָׁלוֹם', words: ['שלום'] },
  { text: 'ΟΔΟΣ οδοσ', words: ['οδοσ', 'οδοσ'] },
  { text: 'fix 🐛 now', words: ['fix', 'now'] },
  { text: 'x'.repeat(100), words: ['x'.repeat(64)] },
  { text: `${'x'.repeat(100)}漢`, words: ['x'.repeat(64), '漢'] },
])('splits $text into terms', ({ text, words }) => {
  expect(toTerms(text)).toEqual(words);
});

test('splits a term into itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      for (const term of toTerms(text)) {
        expect(term.isWellFormed()).toBe(true);
        expect(toTerms(term).join(' ')).toBe(term);
      }
    }),
    { numRuns: 2000 },
  );
});

test('returns trigrams with marked edges', () => {
  expect(toTrigrams('abc')).toEqual(['__a', '_ab', 'abc', 'bc_', 'c__']);
  expect(toTrigrams('𐌰')).toEqual(['__𐌰', '_𐌰_', '𐌰__']);
});

test.each([
  { a: 'parser', b: 'parser', limit: 2, edits: 0 },
  { a: 'parser', b: 'parsr', limit: 2, edits: 1 },
  { a: 'parser', b: 'praser', limit: 2, edits: 1 },
  { a: 'parser', b: 'parsers', limit: 2, edits: 1 },
  { a: 'parser', b: 'barsor', limit: 2, edits: 2 },
  { a: 'parser', b: 'token', limit: 2, edits: 3 },
  { a: 'kitten', b: 'sitting', limit: 3, edits: 3 },
  { a: 'kitten', b: 'sitting', limit: 2, edits: 3 },
  { a: '', b: 'ab', limit: 2, edits: 2 },
  { a: '', b: 'abc', limit: 2, edits: 3 },
])('counts $edits edits from $a to $b with the limit $limit', ({ a, b, limit, edits }) => {
  expect(measureDistance(a, b, limit)).toBe(edits);
});

test('returns the limit plus one for larger distances', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 1, max: 3 }), (a, b, limit) => {
      expect(measureDistance(a, b, limit)).toBe(Math.min(measureDistance(a, b, 9), limit + 1));
    }),
    { numRuns: 2000 },
  );
});

test('is symmetric and 0 only for equal words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(measureDistance(a, b, 9)).toBe(measureDistance(b, a, 9));
      expect(measureDistance(a, b, 9) === 0).toBe(a === b);
    }),
  );
});

const texts = [
  '',
  ' . ',
  ' one  space, and --many ',
  'Write the Parser, then-test it (twice)\n',
  'x'.repeat(64),
  'x'.repeat(65),
  `a ${'Y'.repeat(200)} b`,
  'Zoë Ångström 李雷 σς',
  'tab\tnul\0end',
];

test.each(texts)('joins the terms of %j as they are split, alone and with other texts', (text) => {
  const expected = toTerms(text).join(' ');
  expect(joinTerms([text])).toEqual([expected]);
  for (const other of texts) expect(joinTerms([other, text, other])[1]).toBe(expected);
});

test('joins the terms of any texts as they are split', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', '  ', '-', '\n', '\0', 'é'), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (some) => {
      expect(joinTerms(some)).toEqual(some.map((one) => toTerms(one).join(' ')));
    }),
    { numRuns: 2000 },
  );
});
