import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLine } from '#core/errors/catalog.ts';
import { parseShellWords, splitCommand } from './shell-words.ts';

test.each([
  ['cleo next', ['cleo', 'next']],
  ["cleo add 'Write the parser' --size small", ['cleo', 'add', 'Write the parser', '--size', 'small']],
  [String.raw`cleo add 'it'\''s'`, ['cleo', 'add', "it's"]],
  [String.raw`a "b \"c\" \d" e\ f ''`, ['a', 'b "c" \\d', 'e f', '']],
  ['  a   \'b\'c"d" ', ['a', 'bcd']],
  ['', []],
])('splits %j', (line, words) => {
  expect(parseShellWords(line)).toEqual(words);
});

test.each(["a 'b", 'a "b', 'a && b', 'a | b', 'a; b', 'a > b', 'a $HOME', 'a "$HOME"', 'a *.ts', 'a \\'])(
  'returns undefined for %j, which only a shell can run',
  (line) => {
    expect(parseShellWords(line)).toBeUndefined();
  },
);

test('splits every line that commandLine quotes', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (words) => {
      expect(parseShellWords(commandLine(words))).toEqual(words);
    }),
  );
});

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
