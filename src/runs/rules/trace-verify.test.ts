import { expect, test } from 'vitest';
import { sha256 } from '#lib/sha256.ts';
import { genesis, nextLine } from './trace.ts';
import { verifyTrace } from './trace-verify.ts';

function written(count: number): string[] {
  let after = { head: genesis, lines: 0, ts: '' };
  return Array.from({ length: count }, (_, i) => {
    const { text, ts } = nextLine(after, { ts: '2026-01-01T00:00:00.000Z', event: 'x', data: { place: i, a: 1 }, run_id: 'r' });
    after = { head: sha256(text), lines: after.lines + 1, ts };
    return text;
  });
}
const lines = written(5);
const kept = { head: sha256(lines[4]!), lines: 5 };
const verify = (all: string[], keptOf: { head: string | null; lines: number } | undefined = kept, end = '\n') =>
  verifyTrace({ text: all.join('\n') + end }, sha256, keptOf);
const edited = (at: number, of = lines): string[] => of.with(at - 1, of[at - 1]!.replace('"a":1', '"a":2'));

test('what was written is what is there', () => {
  expect(verify(lines)).toEqual({ lines: 5, head: kept.head, warnings: [], sound: 5, soundHead: kept.head });
});

test('an edited line is told by the one after it, and is not sound', () => {
  expect(verify(edited(3))).toMatchObject({ broken: { line: 4, problem: expect.stringMatching(/one of the two was changed/) }, sound: 2 });
  expect(verify(edited(3)).soundHead).toBe(sha256(lines[1]!));
});

test('the last line is protected by what the run noted of it', () => {
  expect(verify(edited(5))).toMatchObject({ broken: { line: 5, problem: 'is not the one that the run ended with' }, sound: 4 });
  expect(verify(edited(5), { head: null, lines: 0 }).broken).toBeUndefined();
  expect(verify(lines.slice(0, 3))).toMatchObject({ broken: { line: 4, problem: 'is missing: the run had written 5 lines' }, sound: 3 });
});

test('a run that went on after its last note is sound', () => {
  expect(verify(lines, { head: sha256(lines[2]!), lines: 3 }).broken).toBeUndefined();
  expect(verify(edited(3), { head: sha256(lines[2]!), lines: 3 }).broken).toMatchObject({ line: 3 });
});

test.each([
  ['taken out', [...lines.slice(0, 2), ...lines.slice(3)], 3, 2],
  ['put in twice', [...lines.slice(0, 2), lines[1]!, ...lines.slice(2)], 3, 2],
  ['glued', [lines[0]!, lines[1]! + lines[2]!, ...lines.slice(3)], 2, 1],
  ['junk', [lines[0]!, '\u0000\u0001', ...lines.slice(1)], 2, 1],
  ['empty', [lines[0]!, '', ...lines.slice(1)], 2, 1],
  ['swapped', [lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)], 2, 1],
  ['first', lines.slice(1), 1, 0],
])('a line %s', (_, all, line, sound) => {
  expect(verify(all)).toMatchObject({ broken: { line }, sound });
});

test('a torn end is a warning, unless the run had written it', () => {
  expect(verify([...lines, '{"ts":"20'], kept, '')).toMatchObject({ warnings: [expect.stringMatching(/^line 6 was cut off/)], sound: 5 });
  expect(verify([...lines, '{"ts":"20'], kept, '').broken).toBeUndefined();
  expect(verify(lines, kept, '').broken).toMatchObject({ line: 5 });
});

test('bytes that are no text break it where they stand', () => {
  expect(verifyTrace({ text: `${lines.join('\n')}\n`, strangeLine: 2 }, sha256, kept).broken).toEqual({ line: 2, problem: 'is not UTF-8' });
});

test('a line of a later version has its place in the chain', () => {
  const later = lines[1]!.replace('"v":1', '"v":2');
  const third = lines[2]!.replace(/"prev":"[^"]*"/, `"prev":"${sha256(later)}"`);
  expect(verify([lines[0]!, later, third], { head: sha256(third), lines: 3 })).toMatchObject({
    lines: 2,
    warnings: [expect.stringMatching(/version 2/)],
  });
  expect(verify([lines[0]!, later, third], { head: sha256(third), lines: 3 }).broken).toBeUndefined();
});
