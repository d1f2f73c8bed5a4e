import { expect, test } from 'vitest';
import { sha256 } from '#lib/digest.ts';
import type { RunRecord } from '../model/trace.ts';
import { findRunProblem, listRunFiles, parseRunEvidence } from './run-evidence.ts';
import { formatNextLine, genesis } from './trace.ts';

const line = formatNextLine(
  { head: genesis, lines: 0, ts: '' },
  { ts: '2026-01-01T00:00:00.000Z', event: 'run_started', data: {}, run_id: 'run-1' },
).text;
const trace = `${line}\n`;
const reviewed = formatNextLine(
  { head: sha256(line), lines: 1, ts: '' },
  { ts: '2026-01-01T00:00:00.000Z', event: 'review_resolved', data: {}, run_id: 'run-1' },
).text;
const done = {
  run_id: 'run-1',
  status: 'success',
  exit_code: 0,
  task_id: 'T001',
  trace: 'x.jsonl',
  head: sha256(line),
  lines: 1,
  executions: [],
};
const record = (more: object = {}): RunRecord => ({ ...done, ...more }) as unknown as RunRecord;

test.each<[string, RunRecord | undefined, string | undefined, string | undefined]>([
  ['a successful run', record(), trace, undefined],
  ['a run without a stored trace', record({ trace: '' }), undefined, undefined],
  ['a missing run', undefined, undefined, 'there is no run "run-1"'],
  ['a running run', record({ status: 'running' }), trace, 'run-1 has not ended'],
  ['a failed run', record({ status: 'blocked', exit_code: 80 }), trace, 'run-1 ended as blocked (80)'],
  ['a run for another task', record({ task_id: 'T002' }), trace, 'run-1 was for T002: run it with `task` T001'],
  ['a run without a task', record({ task_id: null }), trace, 'run-1 was for no task: run it with `task` T001'],
  ['a deleted trace', record(), undefined, 'the trace of run-1 is missing'],
  ['an invalid trace', record(), 'x\n', 'the trace of run-1 was changed: line 1 is not an event'],
  ['a truncated trace', record(), '', 'the trace of run-1 was changed: line 1 is missing: the run wrote 1 lines'],
  ['a run that was reviewed later', record(), `${trace}${reviewed}\n`, undefined],
])('a run as evidence: %s', (_, found, text, problem) => {
  expect(findRunProblem('run-1', found, 'T001', text, sha256)).toBe(problem);
});

test.each<[string, string, string | undefined, boolean]>([
  ['a valid record', 'run-1', JSON.stringify(done), true],
  ['the record of another run', 'run-2', JSON.stringify(done), false],
  ['no file', 'run-1', undefined, false],
  ['invalid JSON', 'run-1', '{', false],
  ['another JSON value', 'run-1', '[]', false],
  ['a trace outside the folder', 'run-1', JSON.stringify({ ...done, trace: '../x' }), false],
  ['an id that is a path', 'run-../x', JSON.stringify({ ...done, run_id: 'run-../x' }), false],
])('reading a run: %s', (_, id, text, isRead) => {
  expect(parseRunEvidence(id, () => text) !== undefined).toBe(isRead);
});

test('lists the last hash of a file that was written twice', () => {
  const outputs = (sha: string) => ({ outputs: [{ path: 'a', sha256: sha }] });
  expect(listRunFiles(record({ executions: [outputs('1'), { outputs: [{ path: 'b', sha256: '3' }] }, outputs('2')] }))).toEqual([
    { path: 'a', sha256: '2' },
    { path: 'b', sha256: '3' },
  ]);
});
