import { expect, test } from 'vitest';
import { extractPayloads, maxPayloadLength } from './trace.ts';

function extract(data: Record<string, unknown>) {
  const stored: string[] = [];
  const left = extractPayloads(data, (text) => `blob-${stored.push(text)}`);
  return { left, stored };
}
const long = 'x'.repeat(maxPayloadLength + 1);

test('leaves small data unchanged', () => {
  const data = { a: 'x', b: [1, { c: null }] };
  expect(extract(data)).toEqual({ left: data, stored: [] });
});

test('extracts a long text at any depth', () => {
  expect(extract({ status: 'success', outputs: { content: { deep: [long] } } })).toEqual({
    left: { status: 'success', outputs: { content: { deep: [{ blob: 'blob-1', kind: 'text', length: long.length }] } } },
    stored: [long],
  });
});

test('extracts a large value of many small parts', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => i);
  const { left, stored } = extract({ status: 'failed', checks: many });
  expect(left).toEqual({ status: 'failed', checks: { blob: 'blob-1', kind: 'json', length: stored[0]!.length } });
  expect(JSON.parse(stored[0]!)).toEqual(many);
});
