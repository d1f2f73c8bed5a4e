import { expect, test } from 'vitest';
import { escapeInvisible, escapeInvisibleInJson, hasHiddenText } from './invisible.ts';

const tags = [...'ignore'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');

test.each([
  ['plain text, ünïcode → ✓ 日本語', undefined],
  ['a\tb\r\nc\n', undefined],
  ['a\u200bb', 'a\\u200bb'],
  ['a\u200db\u200cc', 'a\\u200db\\u200cc'],
  ['\u202eabc\u2066', '\\u202eabc\\u2066'],
  ['x\u00ady\u2060z\ufeff', 'x\\u00ady\\u2060z\\ufeff'],
  ['\u3164\u115f', '\\u3164\\u115f'],
  ['\u001b[31m\u0007\u007f\u009b', '␛[31m␇␡\\u009b'],
  ['over\rwritten', 'over␍written'],
  ['\u2028\u2029', '\\u2028\\u2029'],
  [`do${tags}`, `do${[...'ignore'].map((char) => `\\u{e00${char.charCodeAt(0).toString(16)}}`).join('')}`],
  ['a\u{e0100}', 'a\\u{e0100}'],
  ['a\ufe00b\ufe0f', 'a\\ufe00b\\ufe0f'],
  // Emoji and scripts that need joiners.
  ['👩\u200d💻 ❤\ufe0f 1\ufe0f⃣ 👨🏽\u200d🚀 ❤\ufe0f\u200d🔥', undefined],
  ['می\u200cخواهم', undefined],
  ['क्\u200dष', undefined],
  ['👩\u200dx', '👩\\u200dx'],
  ['❤\ufe0f\ufe0f', '❤\ufe0f\\ufe0f'],
])('%j', (text, expected) => {
  expect(escapeInvisible(text)).toBe(expected ?? text);
});

test('JSON has the same value after it was escaped, and shows no invisible character', () => {
  const value = { text: `a\u200b\u202e${tags}\u001b\u007f\ufeff`, other: '👩\u200d💻' };
  const json = escapeInvisibleInJson(JSON.stringify(value));
  expect(JSON.parse(json)).toEqual(value);
  expect(escapeInvisible(json)).toBe(json);
  expect(json).toContain('\\u200b\\u202e\\udb40\\udc69');
});

test.each([
  ['a\tb\u001b[1m\n', false],
  ['👩\u200d💻', false],
  ['a\u200b', true],
  [tags, true],
])('hasHiddenText(%j) is %s', (text, expected) => {
  expect(hasHiddenText(text)).toBe(expected);
});

test('takes time in proportion to the length of the text', () => {
  const measure = (length: number): number => {
    const text = '\u200d'.repeat(length);
    const started = performance.now();
    escapeInvisible(text);
    return performance.now() - started;
  };
  measure(10_000);
  expect(measure(400_000)).toBeLessThan(2000);
});
