import { describe, expect, test } from 'vitest';
import { parseFrontMatter } from './front-matter.ts';

describe('parses', () => {
  test.each<[why: string, text: string, fields: Record<string, unknown>, body: string]>([
    ['plain', '---\nname: a\n---\nBody\n', { name: 'a' }, 'Body\n'],
    ['no body', '---\nname: a\n---', { name: 'a' }, ''],
    ['a byte order mark and Windows line ends', '\ufeff---\r\nname: a\r\n---\r\nBody', { name: 'a' }, 'Body'],
    ['a rule of dashes in the body', '---\na: b\n---\nx\n---\ny', { a: 'b' }, 'x\n---\ny'],
    ['spaces after the dashes', '---  \na: b\n--- \nx', { a: 'b' }, 'x'],
    ['folded and literal blocks', '---\na: >-\n  one\n  two\nb: |\n  x\n---\n', { a: 'one two', b: 'x\n' }, ''],
    ['a list in either form, and a map', '---\na: [x, y]\nb:\n  - z\nc: {d: e}\n---\n', { a: ['x', 'y'], b: ['z'], c: { d: 'e' } }, ''],
    [
      'numbers, dates, booleans and null as strings',
      '---\na: 1.10\nb: 2026-01-02\nc: true\nd: ~\n---\n',
      { a: '1.10', b: '2026-01-02', c: 'true', d: '~' },
      '',
    ],
    ['dashes inside a value', '---\na: "---"\nb: ---x\n---\n', { a: '---', b: '---x' }, ''],
  ])('%s', (_, text, fields, body) => {
    expect(parseFrontMatter(text)).toEqual({ fields, body });
  });
});

describe('rejects', () => {
  test.each<[why: string, text: string, problem: RegExp]>([
    ['an empty text', '', /does not begin with front matter/],
    ['a text without front matter', '# Title\n---\na: b\n---\n', /does not begin with front matter/],
    ['front matter without an end', '---\na: b\n', /does not begin with front matter/],
    ['empty front matter', '---\n---\nx', /is not a map/],
    ['a list', '---\n- a\n---\n', /is not a map/],
    ['a scalar', '---\na\n---\n', /is not a map/],
    ['a duplicate key', '---\na: b\na: c\n---\n', /^line 3: Map keys must be unique/],
    ['an unclosed bracket', '---\nb: c\na: [x\n---\n', /^line 4: /],
    ['a second colon', '---\ndescription: Use it: now\n---\n', /^line 2: Nested mappings/],
    ['a tab', '---\na:\n\tb: c\n---\n', /^line 3: /],
    ['an alias', '---\na: &x [y]\nb: *x\n---\n', /refers to itself/],
    [
      'a bomb of aliases',
      `---\na: &a [x, x]\n${'bcdefghij'
        .split('')
        .map((c, i) => `${c}: &${c} [*${'abcdefghi'[i]}, *${'abcdefghi'[i]}]`)
        .join('\n')}\n---\n`,
      /refers to itself/,
    ],
    ['front matter that is too long', `---\na: ${'x'.repeat(20_000)}\n---\n`, /more than 16384 characters/],
    ['two documents', '---\na: b\n...\nc: d\n---\n', /more than one document/],
  ])('%s', (_, text, problem) => {
    const read = parseFrontMatter(text);
    expect(read).toEqual({ problem: expect.stringMatching(problem) });
  });

  test('treats __proto__ as an ordinary key', () => {
    const read = parseFrontMatter('---\n__proto__:\n  polluted: yes\nname: a\n---\n');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(read).toMatchObject({ fields: { name: 'a' } });
  });
});
