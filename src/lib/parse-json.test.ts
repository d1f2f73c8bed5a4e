import { expect, test } from 'vitest';
import { checkJson, parseJson, stripBom } from './parse-json.ts';

test.each<[text: string | undefined, value: unknown]>([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['false', false],
  [' 7 ', 7],
  ['', undefined],
  ['{', undefined],
  ['{} {}', undefined],
  ['undefined', undefined],
  ['\ufeff{}', undefined],
  [undefined, undefined],
])('parses %j as %j', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test('explains why a text is not JSON', () => {
  expect(checkJson('[1]')).toEqual({ value: [1] });
  expect(checkJson('[1')).toEqual({ problem: expect.stringContaining('JSON') });
});

test.each([
  ['\ufeff{}', '{}'],
  ['{}', '{}'],
  ['a\ufeff', 'a\ufeff'],
  ['', ''],
])('removes a byte order mark only from the beginning: %j', (text, stripped) => {
  expect(stripBom(text)).toBe(stripped);
});
