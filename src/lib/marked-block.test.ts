import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findBlock, markdownMarks, putBlock, removeBlock, tomlMarks } from './marked-block.ts';

const body = 'Use cleo.\nAlways.\n';
const { begin, end } = markdownMarks;

test.each<[why: string, before: string, after: string]>([
  ['an empty file', '', `${begin}\n${body}${end}\n`],
  ['a file that ends with a line end', '# Rules\n', `# Rules\n\n${begin}\n${body}${end}\n`],
  ['a file without a final line end', '# Rules', `# Rules\n\n${begin}\n${body}${end}`],
  ['a file with Windows line ends', '# Rules\r\n', `# Rules\r\n\r\n${begin}\r\nUse cleo.\r\nAlways.\r\n${end}\r\n`],
])('appends the block to %s and removes it again', (_, before, after) => {
  expect(putBlock(before, body, markdownMarks)).toBe(after);
  expect(putBlock(after, body, markdownMarks)).toBe(after);
  expect(removeBlock(after, markdownMarks)).toBe(before);
});

test('updates an existing block in place', () => {
  const text = `a\n\n${begin}\nold\n${end}\nb\n`;
  expect(putBlock(text, body, markdownMarks)).toBe(`a\n\n${begin}\n${body}${end}\nb\n`);
});

test('keeps the text after the block', () => {
  expect(removeBlock(`a\n\n${begin}\n${body}${end}\nb\n`, markdownMarks)).toBe('a\nb\n');
});

test.each([`${begin}\n`, `${end}\n`, `${end}\n${begin}\n`, `${begin}\n${begin}\n${end}\n`, `${begin}\n${end}\n${end}`])(
  'leaves a text with unpaired marks unchanged: %j',
  (text) => {
    expect(findBlock(text, markdownMarks)).toBe('broken');
    expect(putBlock(text, body, markdownMarks)).toBe(text);
    expect(removeBlock(text, markdownMarks)).toBe(text);
  },
);

test('ignores a mark inside a line', () => {
  expect(findBlock(`The mark is ${begin}\n and ${end} too`, markdownMarks)).toBeUndefined();
});

test('restores any text byte for byte', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\ufeff', begin, '# cleo', ' '), fc.string({ unit: 'grapheme' })))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom(markdownMarks, tomlMarks), (before, marks) => {
      if (findBlock(before, marks)) return;
      const after = putBlock(before, body, marks);
      expect(findBlock(after, marks)).toMatchObject({ body });
      expect(removeBlock(after, marks)).toBe(before);
    }),
    { numRuns: 2000 },
  );
});
