import { expect, test } from 'vitest';
import { largestPayload, withoutPayloads } from './trace-payload.ts';

const kept = (data: Record<string, unknown>): { data: Record<string, unknown>; texts: string[] } => {
  const texts: string[] = [];
  const slim = withoutPayloads(data, (text) => `name-${texts.push(text)}`);
  return { data: slim, texts };
};
const long = 'x'.repeat(largestPayload + 1);

test('what fits into a line stays there', () => {
  const data = { note: 'x'.repeat(largestPayload), list: [1, { a: null }], content: { a: [1, 2] }, nothing: null };
  expect(kept(data)).toEqual({ data, texts: [] });
});

test.each<[why: string, data: Record<string, unknown>, expected: Record<string, unknown>]>([
  ['a long text', { note: long }, { note: { blob: 'sha256:name-1', bytes: long.length } }],
  ['one in a list', { errors: [{ message: long }] }, { errors: [{ message: { blob: 'sha256:name-1', bytes: long.length } }] }],
  ['counted in bytes', { note: 'ä'.repeat(20_000) }, { note: { blob: 'sha256:name-1', bytes: 40_000 } }],
])('%s is kept apart', (_, data, expected) => {
  expect(kept(data).data).toEqual(expected);
});

test('what others wrote is kept apart as a whole, lists of ours stay lists', () => {
  const numbers = Array.from({ length: 20_000 }, (_, i) => i);
  const { data, texts } = kept({ outputs_summary: { bytes: 1, content: numbers }, checks_performed: numbers });
  expect(data).toEqual({
    outputs_summary: { bytes: 1, content: { blob: 'sha256:name-1', bytes: JSON.stringify(numbers).length } },
    checks_performed: numbers,
  });
  expect(texts).toEqual([JSON.stringify(numbers)]);
});
