import { expect, test } from 'vitest';
import { splitCommand } from './split-command.ts';

test.each([
  ['npm test', ['npm', 'test']],
  ['  npm   run  "two words" ', ['npm', 'run', 'two words']],
  ['a \'b "c" d\' e', ['a', 'b "c" d', 'e']],
  ['--name="x y"', ['--name=x y']],
  ['a; rm -rf / && b | c > d $(e) `f`', ['a;', 'rm', '-rf', '/', '&&', 'b', '|', 'c', '>', 'd', '$(e)', '`f`']],
  ['""', ['']],
  ["it's done", ["it's", 'done']],
  ['   ', []],
])('splits %j', (command, words) => {
  expect(splitCommand(command)).toEqual(words);
});

test('returns a list of words as it is', () => {
  expect(splitCommand(['npm', 'run', 'a b'])).toEqual(['npm', 'run', 'a b']);
});
