import { expect, test } from 'vitest';
import { isTraceName, matchRuns, toRunId } from './trace-name.ts';

const names = ['2025-12-31-run-a.jsonl', '2026-01-01-run-b.jsonl', '2026-01-31-run-bc.jsonl', '2026-02-01-run-c.jsonl'];
const runs = [...names.map((trace) => ({ runId: toRunId(trace), trace })), { runId: 'run-mwih8x' }];

test.each<[word: string, found: number[]]>([
  ['run-b', [1]],
  ['2026-01-01-run-b', [1]],
  ['2026-01-01-run-b.jsonl', [1]],
  ['.cleo/traces/2026-01-01-run-b.jsonl', [1]],
  ['2026-01-*.jsonl', [1, 2]],
  ['2026-01-*', [1, 2]],
  ['.cleo/traces/2026-01-*.jsonl', [1, 2]],
  ['run-b*', [1, 2]],
  ['run-mwih8', [4]],
  ['wih8x', [4]],
  ['bc', [2]],
  ['run-?', [0, 1, 3]],
  ['*', [0, 1, 2, 3, 4]],
  ['202?-*-01-*', [1, 3]],
  ['*c', [2, 3]],
  ['**', [0, 1, 2, 3, 4]],
  ['run', []],
  ['', []],
  ['RUN-B', []],
  ['run-.', []],
])('%j matches %j', (word, found) => {
  expect(matchRuns(word, runs)).toEqual(found.map((i) => runs[i]));
});

test('recognises names of traces', () => {
  expect(names.map(toRunId)).toEqual(['run-a', 'run-b', 'run-bc', 'run-c']);
  expect(['PRUNED.jsonl', 'blobs', '2026-01-01-run-b.jsonl.corrupt', '2026-01-01-.jsonl', '2026-01-01-x.jsonl'].map(isTraceName)).toEqual([
    ...[false, false, false, false, true],
  ]);
});
