import { describe, expect, test } from 'vitest';
import { parseFrontMatter } from './front-matter.ts';

describe('read', () => {
  test.each<[why: string, text: string, fields: Record<string, unknown>, body: string]>([
    ['plain', '---\nname: a\n---\nBody\n', { name: 'a' }, 'Body\n'],
    ['nothing behind it', '---\nname: a\n---', { name: 'a' }, ''],
    ['a mark of byte order, and the other line ends', '\ufeff---\r\nname: a\r\n---\r\nBody', { name: 'a' }, 'Body'],
    ['a rule of dashes in the body', '---\na: b\n---\nx\n---\ny', { a: 'b' }, 'x\n---\ny'],
    ['spaces behind the dashes', '---  \na: b\n--- \nx', { a: 'b' }, 'x'],
    ['folded and literal texts', '---\na: >-\n  one\n  two\nb: |\n  x\n---\n', { a: 'one two', b: 'x\n' }, ''],
    ['a list in either form, and a map', '---\na: [x, y]\nb:\n  - z\nc: {d: e}\n---\n', { a: ['x', 'y'], b: ['z'], c: { d: 'e' } }, ''],
    [
      'what looks like a number, a date, a truth or nothing',
      '---\na: 1.10\nb: 2026-01-02\nc: true\nd: ~\n---\n',
      { a: '1.10', b: '2026-01-02', c: 'true', d: '~' },
      '',
    ],
    ['dashes that are no end', '---\na: "---"\nb: ---x\n---\n', { a: '---', b: '---x' }, ''],
  ])('%s', (_, text, fields, body) => {
    expect(parseFrontMatter(text)).toEqual({ fields, body });
  });
});

describe('refused', () => {
  test.each<[why: string, text: string, problem: RegExp]>([
    ['nothing', '', /does not begin with front matter/],
    ['no front matter', '# Title\n---\na: b\n---\n', /does not begin with front matter/],
    ['no end', '---\na: b\n', /does not begin with front matter/],
    ['an empty one', '---\n---\nx', /no list of names and values/],
    ['a list', '---\n- a\n---\n', /no list of names and values/],
    ['a text', '---\na\n---\n', /no list of names and values/],
    ['the same name twice', '---\na: b\na: c\n---\n', /^line 3: Map keys must be unique/],
    ['a bracket that stays open', '---\nb: c\na: [x\n---\n', /^line 4: /],
    ['a colon too many', '---\ndescription: Use it: now\n---\n', /^line 2: Nested mappings/],
    ['a tab', '---\na:\n\tb: c\n---\n', /^line 3: /],
    ['something that refers to something', '---\na: &x [y]\nb: *x\n---\n', /refers to itself/],
    [
      'a bomb',
      `---\na: &a [x, x]\n${'bcdefghij'
        .split('')
        .map((c, i) => `${c}: &${c} [*${'abcdefghi'[i]}, *${'abcdefghi'[i]}]`)
        .join('\n')}\n---\n`,
      /refers to itself/,
    ],
    ['more than fits', `---\na: ${'x'.repeat(20_000)}\n---\n`, /more than 16384 characters/],
    ['two documents', '---\na: b\n...\nc: d\n---\n', /more than one document/],
  ])('%s', (_, text, problem) => {
    const read = parseFrontMatter(text);
    expect(read).toEqual({ problem: expect.stringMatching(problem) });
  });

  test('a name that is special to JavaScript is a name', () => {
    const read = parseFrontMatter('---\n__proto__:\n  polluted: yes\nname: a\n---\n');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(read).toMatchObject({ fields: { name: 'a' } });
  });
});
