import { describe, expect, test } from 'vitest';
import { type DiffLine, diffLines, toDiffHunks } from './line-diff.ts';

const marks = { same: ' ', removed: '-', added: '+' };
const format = (lines: DiffLine[]): string => lines.map(({ kind, text }) => marks[kind] + text).join('|');

describe('diffLines', () => {
  test.each([
    ['', '', ''],
    ['a\nb', 'a\nb\n', ' a| b'],
    ['', 'a\nb\n', '+a|+b'],
    ['a\nb\n', '', '-a|-b'],
    ['a\nb\nc\n', 'a\nx\nc\n', ' a|-b|+x| c'],
    ['a\nb\nc\n', 'a\nc\n', ' a|-b| c'],
    ['a\nc\n', 'a\nb\nc\n', ' a|+b| c'],
    ['a\nb\nc\na\nb\nb\na', 'c\nb\na\nb\na\nc', '-a|-b| c|+b| a| b|-b| a|+c'],
    ['a\r\nb\r\n', 'a\nb\n', ' a| b'],
    ['a\n\nb\n', 'a\nb\n\n', ' a|-| b|+'],
  ])('compares %j with %j', (before, after, expected) => {
    expect(format(diffLines(before, after))).toBe(expected);
  });

  test('numbers the lines of both texts', () => {
    expect(diffLines('a\nb\nc', 'a\nc\nd')).toEqual([
      { kind: 'same', text: 'a', oldNumber: 1, newNumber: 1 },
      { kind: 'removed', text: 'b', oldNumber: 2 },
      { kind: 'same', text: 'c', oldNumber: 3, newNumber: 2 },
      { kind: 'added', text: 'd', newNumber: 3 },
    ]);
  });

  test('contains both texts whole, also above the limit of edits', () => {
    let state = 7;
    const next = (): number => (state = (state * 1103515245 + 12345) % 2147483648);
    for (let round = 0; round < 200; round++) {
      const [before, after] = [0, 1].map(() => Array.from({ length: next() % 12 }, () => 'abc'[next() % 3]).join('\n')) as [string, string];
      for (const maxEdits of [0, 3, 100]) {
        const lines = diffLines(before, after, maxEdits);
        expect(
          lines
            .filter(({ kind }) => kind !== 'added')
            .map(({ text }) => text)
            .join('\n'),
        ).toBe(before);
        expect(
          lines
            .filter(({ kind }) => kind !== 'removed')
            .map(({ text }) => text)
            .join('\n'),
        ).toBe(after);
      }
    }
  });

  test('compares two long texts without a common line in a short time', () => {
    const text = (letter: string): string => Array.from({ length: 50_000 }, (_, i) => `${letter}${i}`).join('\n');
    expect(diffLines(text('a'), text('b'))).toHaveLength(100_000);
  });
});

test('toDiffHunks leaves out unchanged lines that are far from a change', () => {
  const lines = diffLines('1\n2\n3\n4\n5\n6\n7', '1\n2\n3\n4\nx\n6\n7');
  expect(toDiffHunks(lines, 1).map((hunk) => ('skipped' in hunk ? hunk.skipped : format(hunk.lines)))).toEqual([3, ' 4|-5|+x| 6', ' 7']);
  expect(toDiffHunks(diffLines('a\nb', 'a\nb'))).toEqual([{ skipped: 2 }]);
});
