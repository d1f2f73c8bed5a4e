import { expect, test } from 'vitest';
import { sha256 } from '#lib/sha256.ts';
import type { RunRecord } from '../model/trace.ts';
import { readRun, runFiles, runProblem } from './run-evidence.ts';
import { genesis, nextLine } from './trace.ts';

const line = nextLine(
  { head: genesis, lines: 0, ts: '' },
  { ts: '2026-01-01T00:00:00.000Z', event: 'run_started', data: {}, run_id: 'run-1' },
).text;
const trace = `${line}\n`;
const reviewed = nextLine(
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
  ['one that is what it says', record(), trace, undefined],
  ['one of which no trace was kept', record({ trace: '' }), undefined, undefined],
  ['none', undefined, undefined, 'there is no run "run-1"'],
  ['one that goes on', record({ status: 'running' }), trace, 'run-1 has not ended'],
  ['one that failed', record({ status: 'blocked', exit_code: 80 }), trace, 'run-1 ended as blocked (80)'],
  ['one for another task', record({ task_id: 'T002' }), trace, 'run-1 was for T002: run it with --task T001'],
  ['one for none', record({ task_id: null }), trace, 'run-1 was for no task: run it with --task T001'],
  ['one without its trace', record(), undefined, 'the trace of run-1 is gone'],
  ['one with another', record(), 'x\n', 'the trace of run-1 is not what was written: line 1 is no event'],
  [
    'one with too short a trace',
    record(),
    '',
    'the trace of run-1 is not what was written: line 1 is missing: the run had written 1 lines',
  ],
  ['one that a reviewer has spoken of since', record(), `${trace}${reviewed}\n`, undefined],
])('a run as evidence: %s', (_, found, text, problem) => {
  expect(runProblem('run-1', found, 'T001', text, sha256)).toBe(problem);
});

test.each<[string, string, string | undefined, boolean]>([
  ['its record', 'run-1', JSON.stringify(done), true],
  ['that of another', 'run-2', JSON.stringify(done), false],
  ['none', 'run-1', undefined, false],
  ['no JSON', 'run-1', '{', false],
  ['no record', 'run-1', '[]', false],
  ['a trace elsewhere', 'run-1', JSON.stringify({ ...done, trace: '../x' }), false],
  ['a path', 'run-../x', JSON.stringify({ ...done, run_id: 'run-../x' }), false],
])('reading a run: %s', (_, id, text, isRead) => {
  expect(readRun(id, () => text) !== undefined).toBe(isRead);
});

test('of a file that was written twice, the last counts', () => {
  const outputs = (sha: string) => ({ outputs: [{ path: 'a', sha256: sha }] });
  expect(runFiles(record({ executions: [outputs('1'), { outputs: [{ path: 'b', sha256: '3' }] }, outputs('2')] }))).toEqual([
    { path: 'a', sha256: '2' },
    { path: 'b', sha256: '3' },
  ]);
});
