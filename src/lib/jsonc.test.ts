import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJson, findJsonProblem, insertJson, parseJsonc, removeJson, removeOnce, replaceJson, replaceJsonStrings } from './jsonc.ts';

const entry = { command: 'cleo', args: ['mcp'] };
const path = ['mcpServers', 'cleo'];

test.each<[why: string, before: string, after: string]>([
  ['an empty object', '{}\n', '{\n  "mcpServers": {\n    "cleo": {\n      "command": "cleo",\n      "args": ["mcp"]\n    }\n  }\n}\n'],
  [
    'an object with tabs and Windows line ends',
    '{\r\n\t"a": 1\r\n}\r\n',
    '{\r\n\t"mcpServers": {\r\n\t\t"cleo": {\r\n\t\t\t"command": "cleo",\r\n\t\t\t"args": ["mcp"]\r\n\t\t}\r\n\t},\r\n\t"a": 1\r\n}\r\n',
  ],
  [
    'other servers and comments',
    '{\n  // ours\n  "mcpServers": { // keep\n    /* first */ "other": {}, // theirs\n  },\n}\n',
    '{\n  // ours\n  "mcpServers": {\n    "cleo": {\n      "command": "cleo",\n      "args": ["mcp"]\n    }, // keep\n    /* first */ "other": {}, // theirs\n  },\n}\n',
  ],
  ['a file of one line', '{"a":1}', '{"mcpServers": {"cleo":{"command":"cleo","args":["mcp"]}},"a":1}'],
  [
    'a file of one line with spaces',
    '{ "mcpServers": { "x": {} } }',
    '{ "mcpServers": {"cleo": {"command":"cleo","args":["mcp"]}, "x": {} } }',
  ],
  [
    'an empty object of servers',
    '{\n    "mcpServers": {}\n}',
    '{\n    "mcpServers": {\n        "cleo": {\n            "command": "cleo",\n            "args": ["mcp"]\n        }\n    }\n}',
  ],
  ['a file with a byte order mark', '\ufeff{"a": 1}', '\ufeff{"mcpServers": {"cleo":{"command":"cleo","args":["mcp"]}},"a": 1}'],
])('inserts an entry into %s and removes it byte for byte', (_, before, after) => {
  const done = insertJson(before, path, entry)!;
  expect(done.text).toBe(after);
  expect(removeOnce(done.text, done.inserted)).toBe(before);
});

test('inserts an element at the front of an array, and creates the array if it is missing', () => {
  const into = (text: string): string => insertJson(text, ['hooks', 'SessionStart', '[]'], { hooks: [] })!.text;
  expect(into('{"hooks":{"SessionStart":[1]}}')).toBe('{"hooks":{"SessionStart":[{"hooks":[]},1]}}');
  expect(JSON.parse(into('{}'))).toEqual({ hooks: { SessionStart: [{ hooks: [] }] } });
});

test.each(['[]', '1', '"x"', '{"mcpServers": []}', '{"mcpServers": null}', '{"mcpServers": "x"}'])('inserts nothing into %s', (text) => {
  expect(insertJson(text, path, entry)).toBeUndefined();
});

test.each<[why: string, text: string, after: string]>([
  ['the only entry', '{"mcpServers":{"cleo":{"command":"cleo"}}}', '{}'],
  ['the only server', '{"mcpServers":{"cleo":{}},"a":1}', '{"a":1}'],
  ['the first', '{"mcpServers": { "cleo": {}, "x": {} }}', '{"mcpServers": { "x": {} }}'],
  ['the last', '{"mcpServers": { "x": {}, "cleo": {} }}', '{"mcpServers": { "x": {} }}'],
  ['the last, after a comment', '{"mcpServers": {\n "x": {}, // x\n "cleo": {}\n}}', '{"mcpServers": {\n "x": {} // x\n\n}}'],
  ['one with a trailing comma', '{"mcpServers": {\n "x": {},\n "cleo": {},\n}}', '{"mcpServers": {\n "x": {},\n}}'],
  ['none', '{"mcpServers": {"x": {}}}', '{"mcpServers": {"x": {}}}'],
])('removes an entry from a file that changed: %s', (_, text, after) => {
  expect(removeJson(text, path)).toBe(after);
  expect('problem' in parseJsonc(after)).toBe(false);
});

test('removes only our own element from an array', () => {
  const text = '{"hooks":{"SessionStart":[{"a":1},{"b":2}]}}';
  expect(removeJson(text, ['hooks', 'SessionStart', '[]'], (value) => value.includes('"b"'))).toBe('{"hooks":{"SessionStart":[{"a":1}]}}');
  expect(removeJson(text, ['hooks', 'SessionStart', '[]'], () => false)).toBe(text);
});

test('does not remove characters that are missing or ambiguous', () => {
  expect(removeOnce('abab', 'ab')).toBeUndefined();
  expect(removeOnce('abc', 'x')).toBeUndefined();
  expect(removeOnce('abc', '')).toBeUndefined();
});

describe('any JSON with comments', () => {
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

  test('is restored byte for byte after an insertion and its removal', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(path, ['hooks', 'SessionStart', '[]'], ['statusLine']), (text, where) => {
        const before = parseJsonc(text);
        expect('problem' in before).toBe(false);
        const isOurs = (found: string): boolean => found.includes('"mcp"');
        if (findJson(text, where, where.at(-1) === '[]' ? isOurs : undefined)) return;
        const done = insertJson(text, where, entry);
        if (!done) return;
        expect('problem' in parseJsonc(done.text)).toBe(false);
        expect(findJson(done.text, where, isOurs)).toBeDefined();
        expect(removeOnce(done.text, done.inserted)).toBe(text);
        const removed = removeJson(done.text, where, isOurs);
        expect('problem' in parseJsonc(removed)).toBe(false);
        expect(removed).not.toContain('"mcp"');
      }),
      { numRuns: 1000 },
    );
  });

  const listed = (items: string[], isTrailing: boolean): string => items.join(',') + (isTrailing && items.length > 0 ? ',' : '');
});

test.each<[text: string, problem: string, line: number, column: number]>([
  ['', 'value expected', 1, 1],
  ['{', 'close brace expected', 1, 2],
  ['{\n"a" 1}', 'colon expected', 2, 5],
  ['{"a": 1 "b": 2}', 'comma expected', 1, 9],
  ['{\n\n a: 1}', 'invalid symbol', 3, 2],
  ['["\\x"]', 'invalid escape character', 1, 2],
  ['{"a": "b', 'unexpected end of string', 1, 7],
  ['1\n2', 'end of file expected', 2, 1],
  ['[True]', 'invalid symbol', 1, 2],
  ['[1, 2,]', 'value expected', 1, 7],
  ['{} // note', 'invalid comment token', 1, 4],
  ['['.repeat(100_000), 'nested too deep', 1, 1],
])('%.20j is not JSON: %s', (text, problem, line, column) => {
  expect(findJsonProblem(text)).toEqual({ problem, line, column });
});

test('parses comments, trailing commas and a byte order mark', () => {
  expect(parseJsonc('\ufeff// note\n{"a": [1, /* two */ 2,],}')).toEqual({ value: { a: [1, 2] } });
  expect(parseJsonc('{} /* no end')).toMatchObject({ problem: 'unexpected end of comment' });
  expect(findJsonProblem('{"a": 1}')).toBeUndefined();
});

test('replaces only the strings at the paths', () => {
  const text = '\ufeff{ "version": "1.0.0", // now\n "packages": {"": {"version":"1.0.0"}} }';
  const paths = [['version'], ['packages', '', 'version'], ['none']];
  expect(replaceJsonStrings(text, paths, '2.0.0')).toBe(text.replaceAll('1.0.0', '2.0.0'));
  expect(replaceJsonStrings('{"version": 1}', paths, '2.0.0')).toBeUndefined();
});

test.each([
  [
    'in the indentation of the file',
    '{\n\t"a": [\n\t\t{\n\t\t\t"x": 1\n\t\t}\n\t]\n}\n',
    '{\n\t"a": [\n\t\t{\n\t\t\t"y": ["z"]\n\t\t}\n\t]\n}\n',
  ],
  ['on one line', '\ufeff{"a":[0,{"x":1}]} // c', '\ufeff{"a":[0,{"y":["z"]}]} // c'],
])('replaces a value %s', (_, before, after) => {
  const done = replaceJson(before, ['a', '[]'], { y: ['z'] }, (source) => source.includes('x'));
  expect(done?.text).toBe(after);
  expect(before.replace(done?.before ?? '', done?.after ?? '')).toBe(after);
  expect(replaceJson(before, ['b'], 1)).toBeUndefined();
});
