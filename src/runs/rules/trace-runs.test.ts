import { expect, test } from 'vitest';
import type { RunRecord } from '../model/trace.ts';
import { parseRunRecord, summarizeRun } from './trace-runs.ts';

const record = (more: Partial<RunRecord> = {}): RunRecord =>
  parseRunRecord(JSON.stringify({ run_id: 'run-1', status: 'running', started_at: '2026-01-01T00:00:00.000Z', ...more }))!;
const ended = { status: 'failure', exitCode: 84, at: '2026-01-01T00:00:02.000Z' };

test.each([
  ['is running', { record: record(), isAlive: true }, { status: 'running', resumable: false }],
  ['has no live process', { record: record(), isAlive: false }, { status: 'crashed', resumable: true }],
  [
    'has no live process but a final event',
    { record: record(), isAlive: false, ended },
    { status: 'failure', exitCode: 84, durationMs: 2000, resumable: false },
  ],
  ['ended', { record: record({ status: 'success', exit_code: 0 }), isAlive: false }, { status: 'success', exitCode: 0, resumable: false }],
  ['ended in a process that still runs', { record: record({ status: 'success' }), isAlive: true }, { status: 'success' }],
  [
    'has no record',
    { trace: '2026-01-01-run-1.jsonl', isAlive: false },
    { status: 'crashed', startedAt: '2026-01-01T00:00:00.000Z', resumable: false },
  ],
  ['has no record but a final event', { trace: '2026-01-01-run-1.jsonl', isAlive: false, ended }, { status: 'failure' }],
])('summarizes a run that %s', (_, facts, view) => {
  expect(summarizeRun({ runId: 'run-1', ...facts })).toMatchObject(view);
});

test.each([[undefined], [''], ['{'], ['[]'], ['null'], ['{"run_id":1}'], ['{"run_id":"run-1"}']])('rejects %s as a record', (text) => {
  expect(parseRunRecord(text)).toBeUndefined();
});

test('replaces invalid fields of a record by defaults and keeps the others', () => {
  const one = {
    ...{ execution_id: 'e', phase: 'p', skill: 's', status: 'success', exit_code: 0, skill_sha256: '', inputs_sha256: '' },
    ...{ outputs: [], attempts: 1, duration_ms: 5 },
  };
  const odd = { construct: 'x', retention_days: '30', lines: 'x', head: 5, started_at: 5, vars: null, pid: -1, completed_at: {} };
  const read = parseRunRecord(
    JSON.stringify({ ...record({ agent: 'ada', executions: [null, 5, one, { ...one, outputs: 7 }] as never }), ...odd }),
  )!;
  expect(read).toMatchObject({
    agent: 'ada',
    construct: null,
    retention_days: 30,
    lines: 0,
    head: null,
    started_at: '',
    vars: {},
    executions: [one],
  });
  expect(summarizeRun({ runId: 'run-1', record: read, isAlive: false })).toMatchObject({ status: 'crashed', executions: 1, failed: 0 });
});
