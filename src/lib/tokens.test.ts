import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countRealTokens } from '../../test/real-tokens.ts';
import { estimateTokens } from './tokens.ts';
import { knownSigns, knownWords } from './tokens-known.ts';

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** All texts that we ship or print for people and models. */
const texts = ['.', 'docs', 'protocols', 'skills', 'agents', 'schemas', 'test/scenarios/prompts'].flatMap((folder) =>
  readdirSync(new URL(`../../${folder}/`, import.meta.url), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((name) => /\.(md|json)$/.test(name) && name !== 'package-lock.json')
    .map((name) => (folder === '.' ? name : `${folder}/${name}`)),
);

test('never estimates our own texts below a tokenizer', () => {
  expect(texts.length).toBeGreaterThan(80);
  const under = texts.filter((path) => estimateTokens(file(path)) < countRealTokens(file(path)));
  expect(under).toEqual([]);
});

test.each([
  'README.md',
  'ARCHITECTURE.md',
  'docs/reference/tasks.md',
  'src/lib/glob.ts',
  'src/lib/secrets.ts',
  'package-lock.json',
  'package.json',
  'schemas/config.schema.json',
])('estimates %s between the count of a tokenizer and twice of it', (path) => {
  const text = file(path);
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(countRealTokens(text));
  expect(estimateTokens(text)).toBeLessThanOrEqual(2 * countRealTokens(text));
});

test.each([
  'All human beings are born free and equal in dignity and rights.',
  'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.',
  'Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama.',
  'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.',
  'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.',
])('does not estimate a sentence too low: %s', (text) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(countRealTokens(text));
});

const languages =
  'de fr es pt pl cs tr vi fi hu el ru uk bg sr ar fa ur he hi bn ta te th lo my km ka hy am ja zh zh-Hant ko mn si ne bo'.split(' ');

test.each(languages)('does not estimate names and dates in %s too low', (language) => {
  const text = formatNames(language);
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(countRealTokens(text));
  // One of the two public tokenizers hardly knows rare scripts; the estimate follows it.
  expect(estimateTokens(text)).toBeLessThanOrEqual(2 * countRealTokens(text));
});

const alphabets = {
  'lower case': 'abcdefghijklmnopqrstuvwxyz',
  'base64 and hashes': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  hexadecimal: '0123456789abcdef',
  digits: '0123456789',
  signs: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  'ASCII in any order': Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join(''),
  'line ends and blanks': ' \n\t',
};

test.each(Object.entries(alphabets))('does not estimate random %s too low', (_, alphabet) => {
  const texts = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 2000, maxLength: 2000 });
  fc.assert(
    fc.property(texts, (text) => estimateTokens(text) >= countRealTokens(text)),
    { numRuns: 20 },
  );
});

test.each([
  ['', 0],
  ['the', 1],
  [' the two', 2],
  ['camelCase', 4],
  ['{"success":true}', 5],
  ['--budget', 2],
  ['-budget', 3],
])('estimates %j at %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test.each([...knownSigns])('%j costs at most %i', (signs, tokens) => {
  expect(countRealTokens(signs)).toBeLessThanOrEqual(tokens);
});

test('lists only words that are one token, alone and after a space', () => {
  expect([...knownWords].filter((word) => countRealTokens(word) > 1 || countRealTokens(` ${word}`) > 1)).toEqual([]);
});

test('never estimates a part above the whole text', () => {
  const whole = file('README.md');
  for (let at = 0; at < whole.length; at += 97) expect(estimateTokens(whole.slice(0, at))).toBeLessThanOrEqual(estimateTokens(whole));
});

test('estimates a megabyte in linear time', () => {
  const started = performance.now();
  for (const text of ['x'.repeat(1 << 20), ' '.repeat(1 << 20), 'aB'.repeat(1 << 19), '\ud800'.repeat(1 << 20)]) estimateTokens(text);
  expect(performance.now() - started).toBeLessThan(2000);
});

/** Formats names of countries and dates in a language. */
function formatNames(language: string): string {
  const regions = new Intl.DisplayNames(language, { type: 'region' });
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'full' });
  const places = 'AR AT AU BE BR CA CH CN CZ DE DK EG ES FI FR GB GR HU IN IR IT JP KE KR MX NG NL NO PL PT RU SE TR UA US VN ZA'.split(
    ' ',
  );
  return [
    ...places.map((place) => regions.of(place)),
    ...Array.from({ length: 12 }, (_, month) => dates.format(Date.UTC(2025, month, month + 3))),
  ].join(', ');
}
