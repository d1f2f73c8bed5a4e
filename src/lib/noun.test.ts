import { expect, test } from 'vitest';
import { withArticle } from './noun.ts';

test.each([
  ['epic', 'an epic'],
  ['task', 'a task'],
  ['Issue', 'an Issue'],
  ['', 'a '],
])('puts the article before %j', (noun, expected) => {
  expect(withArticle(noun)).toBe(expected);
});
