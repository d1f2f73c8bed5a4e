import { expect, test } from 'vitest';
import { findFreeSlug, findTitle, getBaseName, getSlugStem, toDocSlug } from './doc-name.ts';

test.each([
  ['Parser Notes', 'parser-notes'],
  ['--Ünïcödé  & more--', 'unicode-more'],
  ['ADR_0012.final', 'adr-0012-final'],
  ['x'.repeat(200), 'x'.repeat(64)],
  [`${'y'.repeat(63)}-z`, 'y'.repeat(63)],
  ['解析', undefined],
  ['', undefined],
])('converts %j to the slug %j', (text, slug) => {
  expect(toDocSlug(text)).toBe(slug);
});

test.each([
  ['docs/Parser Notes.md', 'Parser Notes'],
  ['a.b.txt', 'a.b'],
  ['README', 'README'],
  ['.env', '.env'],
])('returns the name of %s as %s', (path, name) => {
  expect(getBaseName(path)).toBe(name);
});

test('appends the next free number within the maximum length', () => {
  expect(findFreeSlug('handle', ['handle', 'handle-2', 'handle-4'])).toBe('handle-3');
  const long = 'x'.repeat(64);
  expect(findFreeSlug(long, [long])).toBe(`${'x'.repeat(58)}-2`);
  expect(findFreeSlug(long, [long, `${getSlugStem(long)}-2`]).length).toBeLessThanOrEqual(64);
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
])('finds the title of %j: %j', (text, title) => {
  expect(findTitle(text)).toBe(title);
});
