import {
  array,
  boolean,
  custom,
  description,
  maxLength,
  metadata,
  nullable,
  number,
  optional,
  pipe,
  regex,
  strictObject,
  string,
} from 'valibot';
import type { TraceLine } from '../../model/trace.ts';

export const RunName = pipe(
  string(),
  regex(/^[A-Za-z0-9._-]{1,200}$/, 'may hold letters, digits and . _ - (at most 200)'),
  description('Run: its id, a unique beginning or end of the id, or the name of its trace'),
  metadata({ value: 'RUN' }),
);

export const RunPattern = pipe(
  string(),
  maxLength(200, 'must have at most 200 characters'),
  regex(/^(?:[^*]*\*){0,4}[^*]*$/, 'may hold at most four *'),
  description('Run, or a pattern of run ids or trace names such as 2026-01-*.jsonl (default: all)'),
  metadata({ value: 'RUN|GLOB' }),
);

export const RunRow = strictObject({
  id: string(),
  status: string(),
  kind: string(),
  name: string(),
  project: string(),
  exitCode: nullable(number()),
  startedAt: string(),
  completedAt: nullable(string()),
  durationMs: nullable(number()),
  executions: number(),
  failed: number(),
  lines: number(),
  trace: nullable(string()),
  taskId: nullable(string()),
  agent: nullable(string()),
  resumable: boolean(),
});

export const StepShape = strictObject({
  seq: number(),
  ts: string(),
  atMs: number(),
  event: string(),
  phase: optional(string()),
  skill: optional(string()),
  attempt: optional(number()),
  status: optional(string()),
  gate: optional(string()),
  exitCode: optional(number()),
  class: optional(string()),
  durationMs: optional(number()),
  notes: optional(array(string())),
});

/** A trace line as it was written. A later version of CLEO may write fields that this one does not know. */
export const TraceLineShape = custom<TraceLine>((value) => typeof value === 'object' && value !== null && 'event' in value);

/** Formats the lines of a trace that are not events as warnings. */
export const formatProblems = (trace: string, problems: { line: number; problem: string }[]): string[] => {
  const shown = problems.slice(0, 10).map(({ line, problem }) => `${trace}: line ${line} ${problem}`);
  return problems.length > shown.length ? [...shown, `${trace}: ${problems.length - shown.length} more lines are not events`] : shown;
};
