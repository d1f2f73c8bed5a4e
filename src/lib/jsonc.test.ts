import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isProblem, memberOf, readJsonc } from './jsonc.ts';

test.each<[text: string, problem: string, line: number]>([
  ['', 'is empty', 1],
  [' \n\n', 'is empty', 1],
  ['{', 'ends too early', 1],
  ['{"a": 1', 'ends too early', 1],
  ['{\n"a" 1}', 'lacks a colon', 2],
  ['{"a": 1 "b": 2}', 'lacks a comma or a bracket', 1],
  ['{"a": }', 'has a value that is not JSON', 1],
  ['{\n  a: 1}', 'has a key that is not a string', 2],
  ["{'a': 1}", 'has a key that is not a string', 1],
  ['{"a": 01}', 'has a value that is not JSON', 1],
  ['{"a": "\\x"}', 'has a value that is not JSON', 1],
  ['{"a": "b\nc"}', 'has a value that is not JSON', 1],
  ['{} {}', 'holds more than one value', 1],
  ['{"a": 1]', 'lacks a comma or a bracket', 1],
  ['{,}', 'has a key that is not a string', 1],
  ['[1,,2]', 'has a value that is not JSON', 1],
  ['{} /* no end', 'has a comment without an end', 1],
  ['{"a": /* no end', 'has a value that is not JSON', 1],
  ['undefined', 'has a value that is not JSON', 1],
])('%j is not JSON', (text, problem, line) => {
  expect(readJsonc(text)).toEqual({ problem, line });
});

test('remarks, trailing commas and a byte order mark are read over', () => {
  const text = '\ufeff// top\n{ /* a */ "a": [1, 2,], // b\n "b": {"c": null,}, }\n';
  const root = readJsonc(text);
  if (isProblem(root)) throw new Error(root.problem);
  const found = memberOf(memberOf(root, 'b')?.value, 'c')!;
  expect(text.slice(found.start, found.value.end)).toBe('"c": null');
});

test('of two members with one name the last counts', () => {
  const text = '{"a": 1, "a": 2}';
  const found = memberOf(readJsonc(text) as never, 'a')!;
  expect(text.slice(found.value.start, found.value.end)).toBe('2');
});

test('what JSON reads is read, and what it does not read is a problem', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.json().chain((text) => fc.nat(text.length).map((at) => text.slice(0, at) + text.slice(at + 1))),
      ),
      (text) => {
        let isSound = true;
        try {
          JSON.parse(text);
        } catch {
          isSound = false;
        }
        // A comma at the end of a list is the one thing that is taken more lightly here.
        if (isSound || !/,\s*[\]}]/.test(text)) expect(isProblem(readJsonc(text))).toBe(!isSound);
      },
    ),
    { numRuns: 1000 },
  );
});

test('depth and length cost neither the stack nor more than a moment', () => {
  const started = performance.now();
  expect(readJsonc('['.repeat(500_000))).toMatchObject({ problem: 'ends too early' });
  expect(isProblem(readJsonc('['.repeat(300_000) + ']'.repeat(300_000)))).toBe(false);
  expect(isProblem(readJsonc(JSON.stringify(Array.from({ length: 100_000 }, (_, i) => `item ${i}`))))).toBe(false);
  expect(performance.now() - started).toBeLessThan(5000);
});
