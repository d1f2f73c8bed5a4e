import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { RunRecord } from '../model/trace.ts';
import { verifyTrace } from './trace-verify.ts';

/** Reads the record of a run that serves as evidence; undefined if it does not exist or is invalid. An invalid id is never used as a
 *  path. */
export function parseRunEvidence(id: string, read: (name: string) => string | undefined): RunRecord | undefined {
  const value = parseJson(/^run-[a-z0-9]{1,40}$/.test(id) ? read(id) : undefined);
  const isRecord = isPlainObject(value) && value.run_id === id && Array.isArray(value.executions) && /^[\w.-]*$/.test(String(value.trace));
  return isRecord ? (value as unknown as RunRecord) : undefined;
}

/** The reason why a run is not evidence for a task; undefined if it is. */
export function findRunProblem(
  id: string,
  record: RunRecord | undefined,
  taskId: string | undefined,
  trace: string | undefined,
  hash: (text: string) => string,
): string | undefined {
  if (!record) return `there is no run ${JSON.stringify(id.slice(0, 60))}`;
  if (record.status === 'running') return `${id} has not ended`;
  if (record.status !== 'success') return `${id} ended as ${record.status} (${record.exit_code})`;
  if (record.task_id !== taskId) return `${id} was for ${record.task_id ?? 'no task'}: run it with \`task\` ${taskId}`;
  if (record.trace === '') return undefined;
  if (trace === undefined) return `the trace of ${id} is missing`;
  const { broken } = verifyTrace({ text: trace }, hash, record);
  return broken && `the trace of ${id} was changed: line ${broken.line} ${broken.problem}`;
}

/** The files that a run wrote, with the last hash of each. */
export const listRunFiles = ({ executions }: RunRecord): { path: string; sha256: string }[] =>
  [...new Map(executions.flatMap(({ outputs }) => outputs.map((file) => [file.path, file] as const))).values()].map(({ path, sha256 }) => ({
    path,
    sha256,
  }));
