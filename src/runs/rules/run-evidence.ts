import { isMap } from '#lib/is-map.ts';
import type { RunRecord } from '../model/trace.ts';
import { verifyTrace } from './trace-verify.ts';

/** The record of a run by its id; undefined where there is none that can be read. What is no id names no file. */
export function readRun(id: string, read: (name: string) => string | undefined): RunRecord | undefined {
  const text = /^run-[a-z0-9]{1,40}$/.test(id) ? read(id) : undefined;
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text);
    const isRecord = isMap(value) && value.run_id === id && Array.isArray(value.executions) && /^[\w.-]*$/.test(String(value.trace));
    return isRecord ? (value as unknown as RunRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Why a run shows nothing for a task; undefined where it does, as far as its record tells. */
export function runProblem(
  id: string,
  record: RunRecord | undefined,
  taskId: string | undefined,
  trace: string | undefined,
  hash: (text: string) => string,
): string | undefined {
  if (!record) return `there is no run ${JSON.stringify(id.slice(0, 60))}`;
  if (record.status === 'running') return `${id} has not ended`;
  if (record.status !== 'success') return `${id} ended as ${record.status} (${record.exit_code})`;
  if (record.task_id !== taskId) return `${id} was for ${record.task_id ?? 'no task'}: run it with --task ${taskId}`;
  if (record.trace === '') return undefined;
  if (trace === undefined) return `the trace of ${id} is gone`;
  const { broken } = verifyTrace({ text: trace }, hash, record);
  return broken && `the trace of ${id} is not what was written: line ${broken.line} ${broken.problem}`;
}

/** What a run left, by its last word on each file. */
export const runFiles = ({ executions }: RunRecord): { path: string; sha256: string }[] =>
  [...new Map(executions.flatMap(({ outputs }) => outputs.map((file) => [file.path, file] as const))).values()].map(({ path, sha256 }) => ({
    path,
    sha256,
  }));
