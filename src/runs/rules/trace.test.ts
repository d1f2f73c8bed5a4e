import { expect, test } from 'vitest';
import { sha256 } from '#lib/digest.ts';
import { formatNextLine, genesis, isMilestone, parseTrace } from './trace.ts';

const write = (...events: [ts: string, event: string][]): string[] => {
  let after = { head: genesis, lines: 0, ts: '' };
  return events.map(([ts, event]) => {
    const { text, ts: at } = formatNextLine(after, { ts, event, data: { a: 1 }, run_id: 'r', phase: 'p', skill: undefined as never });
    after = { head: sha256(text), lines: after.lines + 1, ts: at };
    return text;
  });
};
const read = (lines: string[], end = '\n') => parseTrace(lines.join('\n') + end, sha256);
const lines = write(
  ['2026-01-01T00:00:02.000Z', 'run_started'],
  ['2026-01-01T00:00:01.000Z', 'x'],
  ['2026-01-01T00:00:03.000Z', 'y'],
  ['2026-01-01T00:00:04.000Z', 'z'],
);

test('each line has the hash of the previous one, and times never decrease', () => {
  const { lines: found, problems, firstInvalid, head } = read(lines);
  expect([problems, firstInvalid]).toEqual([[], undefined]);
  expect(found.map(({ line }) => [line.seq, line.ts.slice(17, 19), line.prev === genesis])).toEqual([
    [1, '02', true],
    [2, '02', false],
    [3, '03', false],
    [4, '04', false],
  ]);
  expect(head).toBe(sha256(lines[3]!));
  expect(Object.keys(found[0]!.line)).toEqual(['ts', 'event', 'data', 'v', 'seq', 'run_id', 'phase', 'prev']);
});

test('finds an edited line by the hash in the next one', () => {
  const edited = [...lines];
  edited[2] = edited[2]!.replace('"a":1', '"a":2');
  expect(read(edited).firstInvalid).toBe(4);
  const last = [...lines.slice(0, 3), lines[3]!.replace('"a":1', '"a":2')];
  expect(read(last).firstInvalid).toBeUndefined();
  expect(read(last).head).not.toBe(read(lines).head);
});

test('finds removed and inserted lines', () => {
  expect(read([lines[0]!, ...lines.slice(2)]).firstInvalid).toBe(2);
  expect(read([lines[0]!, lines[0]!, ...lines.slice(1)]).firstInvalid).toBe(2);
});

test('reads lines that have only a time, an event and data, and says that no chain protects them', () => {
  const bare = ['skill_invoked', 'execution_complete'].map((event, i) =>
    JSON.stringify({ ts: `2026-01-01T00:00:0${i}.000Z`, event, data: { skill: 'upload', execution_id: 'r:p:upload' } }),
  );
  const { lines: found, problems, firstInvalid } = read(bare);
  expect([problems, firstInvalid]).toEqual([[], 1]);
  expect(found.map(({ line }) => [line.event, line.data.skill])).toEqual([
    ['skill_invoked', 'upload'],
    ['execution_complete', 'upload'],
  ]);
});

test('skips a torn last line', () => {
  const { lines: found, problems, firstInvalid } = read([...lines.slice(0, 3), lines[3]!.slice(0, 20)], '');
  expect([found.length, firstInvalid]).toEqual([3, undefined]);
  expect(problems).toEqual([{ line: 4, problem: 'was cut off while it was written and is skipped' }]);
});

test('rejects deeply nested events and keeps their position in the chain', () => {
  const deep = formatNextLine(
    { head: genesis, lines: 0, ts: '' },
    { ts: '2026-01-01T00:00:00.000Z', event: 'x', data: { a: 0 }, run_id: 'r' },
  );
  const text = deep.text.replace('"a":0', `"a":${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  expect(read([text])).toMatchObject({ lines: [], problems: [{ line: 1, problem: 'is nested too deeply' }], head: sha256(text) });
  expect(read([text]).firstInvalid).toBeUndefined();
});

test('reports invalid lines by number and reads the rest', () => {
  const { lines: found, problems, firstInvalid } = read([lines[0]!, lines[1]! + lines[2]!, 'no json', lines[3]!]);
  expect(found.map(({ number }) => number)).toEqual([1, 4]);
  expect(problems).toEqual([
    { line: 2, problem: 'holds more than one event' },
    { line: 3, problem: 'is not an event' },
  ]);
  expect(firstInvalid).toBe(2);
});

test('skips a line of a later version', () => {
  expect(read([lines[0]!.replace('"v":1', '"v":9')]).problems).toEqual([
    { line: 1, problem: 'has version 9, which this version of cleo does not support' },
  ]);
});

test('knows the events that must be flushed', () => {
  expect(
    ['gate_checked', 'execution_complete', 'run_completed', 'attempt_completed', 'handoff_attempted', 'run_started'].map(isMilestone),
  ).toEqual([true, true, true, false, true, false]);
});
