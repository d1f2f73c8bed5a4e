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

/** A run by its id, the beginning or the end of it, or the name of its trace. */
export const RunName = pipe(
  string(),
  regex(/^[A-Za-z0-9._-]{1,200}$/, 'may hold letters, digits and . _ - (at most 200)'),
  description('The run: its id, the beginning or the end of it, or the name of its trace'),
  metadata({ value: 'RUN' }),
);

/** The same, or a pattern. Few stars, since each multiplies the ways to look. */
export const RunPattern = pipe(
  string(),
  maxLength(200, 'must have at most 200 characters'),
  regex(/^(?:[^*]*\*){0,4}[^*]*$/, 'may hold at most four *'),
  description('The run, or a pattern of ids or of names of traces, e.g. 2026-01-*.jsonl (default: all)'),
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

/** As it was written; a later cleo may write more than this one knows. */
export const Line = custom<TraceLine>((value) => typeof value === 'object' && value !== null && 'event' in value);

/** What could not be read of a trace, as warnings. */
export const problemLines = (trace: string, problems: { line: number; problem: string }[]): string[] => {
  const shown = problems.slice(0, 10).map(({ line, problem }) => `${trace}: line ${line} ${problem}`);
  return problems.length > shown.length ? [...shown, `${trace}: ${problems.length - shown.length} more lines are no events`] : shown;
};
