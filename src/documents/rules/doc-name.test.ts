import { expect, test } from 'vitest';
import { baseName, freeSlug, slugFrom, stemOf, titleIn } from './doc-name.ts';

test.each([
  ['Parser Notes', 'parser-notes'],
  ['--Ünïcödé  & more--', 'unicode-more'],
  ['ADR_0012.final', 'adr-0012-final'],
  ['x'.repeat(200), 'x'.repeat(64)],
  [`${'y'.repeat(63)}-z`, 'y'.repeat(63)],
  ['解析', undefined],
  ['', undefined],
])('%j makes the slug %j', (text, slug) => {
  expect(slugFrom(text)).toBe(slug);
});

test.each([
  ['docs/Parser Notes.md', 'Parser Notes'],
  ['a.b.txt', 'a.b'],
  ['README', 'README'],
  ['.env', '.env'],
])('the name of %s is %s', (path, name) => {
  expect(baseName(path)).toBe(name);
});

test('a free slug is the next number that nobody has, and no longer than a slug may be', () => {
  expect(freeSlug('handle', ['handle', 'handle-2', 'handle-4'])).toBe('handle-3');
  const long = 'x'.repeat(64);
  expect(freeSlug(long, [long])).toBe(`${'x'.repeat(58)}-2`);
  expect(freeSlug(long, [long, `${stemOf(long)}-2`]).length).toBeLessThanOrEqual(64);
});

test.each([
  ['# Parsers\ntext', 'Parsers'],
  ['\ufeff# With a mark\r\nx', 'With a mark'],
  ['---\ntitle: x\n---\n\n# Behind a header #\n', 'Behind a header'],
  ['```sh\n# a comment\n```\n# The title', 'The title'],
  ['## Second level\nno first', undefined],
  ['#hashtag', undefined],
  [`# ${'long '.repeat(100)}`, 'long '.repeat(40).trim()],
  ['# a\u0007b', 'a b'],
  [`# ${'x'.repeat(199)}👩`, 'x'.repeat(199)],
])('the title in %j is %j', (text, title) => {
  expect(titleIn(text)).toBe(title);
});
