import { expect, test } from 'vitest';
import { placeOfError } from './json-place.ts';

test.each<[string, string, number, number]>([
  ['a list that closes with nothing in it but a brace', '{\n  "a": [}\n}', 2, 9],
  ['a comma too many', '[1, 2,]', 1, 7],
  ['a comma too few', '{"a": 1 "b": 2}', 1, 9],
  ['a key without quotes', '{\n\n a: 1}', 3, 2],
  ['a colon that lacks', '{"a" 1}', 1, 6],
  ['a text that does not end', '{"a": "b', 1, 7],
  ['a line break in a text', '["a\nb"]', 1, 2],
  ['an escape that is none', '["\\x"]', 1, 2],
  ['the end in the middle', '{"a": [1, 2', 1, 12],
  ['nothing at all', '', 1, 1],
  ['two values', '1\n2', 2, 1],
  ['a word of another language', '[True]', 1, 2],
  ['a number with a zero too many', '[01]', 1, 3],
  ['the wrong bracket', '[{"a": 1]', 1, 9],
])('%s', (_, text, line, column) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(placeOfError(text)).toEqual({ line, column });
});

test('what is sound is read to its end', () => {
  const text = JSON.stringify({ a: [1, -2.5e3, 'x"\\\n', true, null, {}, []], b: { c: {} } }, null, 1);
  expect(placeOfError(text)).toEqual({ line: text.split('\n').length, column: 2 });
});
