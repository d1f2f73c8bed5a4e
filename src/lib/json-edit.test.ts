import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cut, findJson, insertJson, removeJson } from './json-edit.ts';
import { isProblem, readJsonc } from './jsonc.ts';

const entry = { command: 'cleo', args: ['mcp'] };
const path = ['mcpServers', 'cleo'];

test.each<[why: string, before: string, after: string]>([
  ['nothing yet', '{}\n', '{\n  "mcpServers": {\n    "cleo": {\n      "command": "cleo",\n      "args": ["mcp"]\n    }\n  }\n}\n'],
  [
    'another key, indented by tabs, with Windows line ends',
    '{\r\n\t"a": 1\r\n}\r\n',
    '{\r\n\t"mcpServers": {\r\n\t\t"cleo": {\r\n\t\t\t"command": "cleo",\r\n\t\t\t"args": ["mcp"]\r\n\t\t}\r\n\t},\r\n\t"a": 1\r\n}\r\n',
  ],
  [
    'other servers and remarks',
    '{\n  // ours\n  "mcpServers": { // keep\n    /* first */ "other": {}, // theirs\n  },\n}\n',
    '{\n  // ours\n  "mcpServers": { // keep\n    "cleo": {\n      "command": "cleo",\n      "args": ["mcp"]\n    },\n    /* first */ "other": {}, // theirs\n  },\n}\n',
  ],
  ['one line', '{"a":1}', '{"mcpServers": {"cleo": {"command": "cleo", "args": ["mcp"]}},"a":1}'],
  ['one line with spaces', '{ "mcpServers": { "x": {} } }', '{ "mcpServers": { "cleo": {"command": "cleo", "args": ["mcp"]}, "x": {} } }'],
  [
    'an empty place for servers',
    '{\n    "mcpServers": {}\n}',
    '{\n    "mcpServers": {\n        "cleo": {\n            "command": "cleo",\n            "args": ["mcp"]\n        }\n    }\n}',
  ],
  ['a byte order mark', '\ufeff{"a": 1}', '\ufeff{"mcpServers": {"cleo": {"command": "cleo", "args": ["mcp"]}},"a": 1}'],
])('an entry is put in where there is %s', (_, before, after) => {
  const done = insertJson(before, path, entry)!;
  expect(done.text).toBe(after);
  expect(cut(done.text, done.inserted)).toBe(before);
});

test('an element is put before the others of an array, which is made where there is none', () => {
  const into = (text: string): string => insertJson(text, ['hooks', 'SessionStart', '[]'], { hooks: [] })!.text;
  expect(into('{"hooks":{"SessionStart":[1]}}')).toBe('{"hooks":{"SessionStart":[{"hooks": []},1]}}');
  expect(JSON.parse(into('{}'))).toEqual({ hooks: { SessionStart: [{ hooks: [] }] } });
});

test.each(['[]', '1', '"x"', '{"mcpServers": []}', '{"mcpServers": null}', '{"mcpServers": "x"}'])(
  '%s has no place for an entry',
  (text) => {
    expect(insertJson(text, path, entry)).toBeUndefined();
  },
);

test.each<[why: string, text: string, after: string]>([
  ['the only one', '{"mcpServers":{"cleo":{"command":"cleo"}}}', '{}'],
  ['the only server', '{"mcpServers":{"cleo":{}},"a":1}', '{"a":1}'],
  ['the first', '{"mcpServers": { "cleo": {}, "x": {} }}', '{"mcpServers": { "x": {} }}'],
  ['the last', '{"mcpServers": { "x": {}, "cleo": {} }}', '{"mcpServers": { "x": {} }}'],
  ['the last, with a remark before it', '{"mcpServers": {\n "x": {}, // x\n "cleo": {}\n}}', '{"mcpServers": {\n "x": {} // x\n\n}}'],
  ['one with a comma behind it', '{"mcpServers": {\n "x": {},\n "cleo": {},\n}}', '{"mcpServers": {\n "x": {},\n}}'],
  ['none', '{"mcpServers": {"x": {}}}', '{"mcpServers": {"x": {}}}'],
])('an entry that others moved is taken out: %s', (_, text, after) => {
  expect(removeJson(text, path)).toBe(after);
  expect(isProblem(readJsonc(after))).toBe(false);
});

test('only what is ours is taken out of an array', () => {
  const text = '{"hooks":{"SessionStart":[{"a":1},{"b":2}]}}';
  expect(removeJson(text, ['hooks', 'SessionStart', '[]'], (value) => value.includes('"b"'))).toBe('{"hooks":{"SessionStart":[{"a":1}]}}');
  expect(removeJson(text, ['hooks', 'SessionStart', '[]'], () => false)).toBe(text);
});

test('what stands twice, or no longer, is not cut', () => {
  expect(cut('abab', 'ab')).toBeUndefined();
  expect(cut('abc', 'x')).toBeUndefined();
  expect(cut('abc', '')).toBeUndefined();
});

describe('any text of JSON with comments', () => {
  const blank = fc.constantFrom('', '', ' ', '\n', '\n  ', '\r\n\t', ' // a "remark" {\n', '/* { , } */', '\n/* two\nlines */\n  ');
  const scalar = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('1', '-2.5e3', 'true', 'null', '""'),
  );
  const key = fc.constantFrom('"a"', '"b c"', '"mcpServers"', '"\\u0063leo"', '"//"', '"hooks"');
  const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      tie('object'),
      fc.tuple(fc.array(fc.tuple(blank, tie('value'), blank), { maxLength: 3 }), blank, fc.boolean()).map(
        ([items, rest, isTrailing]) =>
          `[${listed(
            items.map((item) => item.join('')),
            isTrailing,
          )}${rest}]`,
      ),
    ),
    object: fc
      .tuple(
        fc.uniqueArray(fc.tuple(blank, key, blank, blank, tie('value'), blank), { maxLength: 3, selector: ([, name]) => JSON.parse(name) }),
        blank,
        fc.boolean(),
      )
      .map(
        ([members, rest, isTrailing]) =>
          `{${listed(
            members.map(([a, name, b, c, inner, d]) => `${a}${name}${b}:${c}${inner}${d}`),
            isTrailing,
          )}${rest}}`,
      ),
  }));
  const objects = fc
    .tuple(
      fc.constantFrom('', '\ufeff', '\n'),
      blank,
      value.filter((text) => text.startsWith('{')),
      blank,
    )
    .map((parts) => parts.join(''));

  test('keeps every character when an entry is put in and taken out', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(path, ['hooks', 'SessionStart', '[]'], ['statusLine']), (text, where) => {
        const before = readJsonc(text);
        expect(isProblem(before)).toBe(false);
        const isOurs = (found: string): boolean => found.includes('"mcp"');
        if (findJson(text, where, where.at(-1) === '[]' ? isOurs : undefined)) return;
        const done = insertJson(text, where, entry);
        if (!done) return;
        expect(isProblem(readJsonc(done.text))).toBe(false);
        expect(findJson(done.text, where, isOurs)).toBeDefined();
        expect(cut(done.text, done.inserted)).toBe(text);
        const removed = removeJson(done.text, where, isOurs);
        expect(isProblem(readJsonc(removed))).toBe(false);
        expect(removed).not.toContain('"mcp"');
      }),
      { numRuns: 1000 },
    );
  });

  const listed = (items: string[], isTrailing: boolean): string => items.join(',') + (isTrailing && items.length > 0 ? ',' : '');
});
