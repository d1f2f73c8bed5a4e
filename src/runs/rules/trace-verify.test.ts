import { expect, test } from 'vitest';
import { sha256 } from '#lib/digest.ts';
import { formatNextLine, genesis } from './trace.ts';
import { verifyTrace } from './trace-verify.ts';

function writeLines(count: number): string[] {
  let after = { head: genesis, lines: 0, ts: '' };
  return Array.from({ length: count }, (_, i) => {
    const { text, ts } = formatNextLine(after, { ts: '2026-01-01T00:00:00.000Z', event: 'x', data: { place: i, a: 1 }, run_id: 'r' });
    after = { head: sha256(text), lines: after.lines + 1, ts };
    return text;
  });
}
const lines = writeLines(5);
const recorded = { head: sha256(lines[4]!), lines: 5 };
const verify = (all: string[], end: { head: string | null; lines: number } | undefined = recorded, lastEnd = '\n') =>
  verifyTrace({ text: all.join('\n') + lastEnd }, sha256, end);
const edited = (at: number, of = lines): string[] => of.with(at - 1, of[at - 1]!.replace('"a":1', '"a":2'));

test('accepts an unchanged trace', () => {
  expect(verify(lines)).toEqual({ lines: 5, head: recorded.head, warnings: [], intactLines: 5, intactHead: recorded.head });
});

test('finds an edited line by the hash in the next one', () => {
  expect(verify(edited(3))).toMatchObject({
    broken: { line: 4, problem: expect.stringMatching(/one of the two was changed/) },
    intactLines: 2,
  });
  expect(verify(edited(3)).intactHead).toBe(sha256(lines[1]!));
});

test('finds an edited or missing last line by the recorded end', () => {
  expect(verify(edited(5))).toMatchObject({ broken: { line: 5, problem: 'is not the last line that the run recorded' }, intactLines: 4 });
  expect(verify(edited(5), { head: null, lines: 0 }).broken).toBeUndefined();
  expect(verify(lines.slice(0, 3))).toMatchObject({ broken: { line: 4, problem: 'is missing: the run wrote 5 lines' }, intactLines: 3 });
});

test('accepts lines after the recorded end', () => {
  expect(verify(lines, { head: sha256(lines[2]!), lines: 3 }).broken).toBeUndefined();
  expect(verify(edited(3), { head: sha256(lines[2]!), lines: 3 }).broken).toMatchObject({ line: 3 });
});

test.each([
  ['removed', [...lines.slice(0, 2), ...lines.slice(3)], 3, 2],
  ['duplicated', [...lines.slice(0, 2), lines[1]!, ...lines.slice(2)], 3, 2],
  ['joined with the next', [lines[0]!, lines[1]! + lines[2]!, ...lines.slice(3)], 2, 1],
  ['invalid', [lines[0]!, '\u0000\u0001', ...lines.slice(1)], 2, 1],
  ['empty', [lines[0]!, '', ...lines.slice(1)], 2, 1],
  ['swapped', [lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)], 2, 1],
  ['missing at the start', lines.slice(1), 1, 0],
])('finds a line %s', (_, all, line, intactLines) => {
  expect(verify(all)).toMatchObject({ broken: { line }, intactLines });
});

test('a torn last line is a warning, unless it was recorded', () => {
  expect(verify([...lines, '{"ts":"20'], recorded, '')).toMatchObject({
    warnings: [expect.stringMatching(/^line 6 was cut off/)],
    intactLines: 5,
  });
  expect(verify([...lines, '{"ts":"20'], recorded, '').broken).toBeUndefined();
  expect(verify(lines, recorded, '').broken).toMatchObject({ line: 5 });
});

test('reports the line that is not UTF-8', () => {
  expect(verifyTrace({ text: `${lines.join('\n')}\n`, invalidLine: 2 }, sha256, recorded).broken).toEqual({
    line: 2,
    problem: 'is not UTF-8',
  });
});

test('a line of a later version keeps its position in the chain', () => {
  const later = lines[1]!.replace('"v":1', '"v":2');
  const third = lines[2]!.replace(/"prev":"[^"]*"/, `"prev":"${sha256(later)}"`);
  expect(verify([lines[0]!, later, third], { head: sha256(third), lines: 3 })).toMatchObject({
    lines: 2,
    warnings: [expect.stringMatching(/version 2/)],
  });
  expect(verify([lines[0]!, later, third], { head: sha256(third), lines: 3 }).broken).toBeUndefined();
});
