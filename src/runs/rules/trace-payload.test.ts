import { expect, test } from 'vitest';
import { largestPayload, withoutPayloads } from './trace-payload.ts';

function spill(data: Record<string, unknown>) {
  const kept: string[] = [];
  const left = withoutPayloads(data, (text) => `blob-${kept.push(text)}`);
  return { left, kept };
}
const long = 'x'.repeat(largestPayload + 1);

test('what is small stays as it is', () => {
  const data = { a: 'x', b: [1, { c: null }] };
  expect(spill(data)).toEqual({ left: data, kept: [] });
});

test('a long text is kept elsewhere, wherever it stands', () => {
  expect(spill({ status: 'success', outputs: { content: { deep: [long] } } })).toEqual({
    left: { status: 'success', outputs: { content: { deep: [{ blob: 'blob-1', kind: 'text', length: long.length }] } } },
    kept: [long],
  });
});

test('so is a value that is large by the number of its parts', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => i);
  const { left, kept } = spill({ status: 'failed', checks: many });
  expect(left).toEqual({ status: 'failed', checks: { blob: 'blob-1', kind: 'json', length: kept[0]!.length } });
  expect(JSON.parse(kept[0]!)).toEqual(many);
});
