import {
  array,
  exactOptional,
  type InferOutput,
  integer,
  literal,
  looseObject,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  record,
  type StrictObjectSchema,
  strictObject,
  string,
  unknown,
} from 'valibot';

const Count = pipe(number(), integer(), minValue(0));

/** One line of a trace. Fields that are null are left out; what a reader does not know, it passes over. */
const line = {
  ts: string(),
  event: string(),
  data: record(string(), unknown()),
  v: literal(1),
  seq: pipe(number(), integer(), minValue(1)),
  run_id: string(),
  execution_id: exactOptional(string()),
  phase: exactOptional(string()),
  skill: exactOptional(string()),
  attempt: exactOptional(Count),
  /** SHA-256 of the bytes of the line before, or `genesis`. */
  prev: string(),
};
export const TraceLine = looseObject(line);
export type TraceLine = InferOutput<StrictObjectSchema<typeof line, undefined>>;

export const traceEvents = [
  'run_started',
  'skill_invoked',
  'gate_checked',
  'execution_progress',
  'execution_complete',
  'handoff_attempted',
  'run_completed',
  'attempt_started',
  'attempt_completed',
  'judge_called',
  'review_requested',
  'review_resolved',
  'score_recorded',
  'run_resumed',
  'redaction_applied',
] as const;
export type TraceEvent = (typeof traceEvents)[number];

/** `.cleo/runs/<run_id>/run.json`: how far a run is, and what became of it. */
export const RunRecord = strictObject({
  schema_version: literal(1),
  run_id: string(),
  kind: picklist(['construct', 'skill']),
  construct: nullable(strictObject({ file: string(), name: string(), version: string(), sha256: string() })),
  project: string(),
  vars: record(string(), string()),
  intent: nullable(string()),
  task_id: nullable(string()),
  session_id: nullable(string()),
  /** What else it was asked for: whoever goes on with it need not say it again. */
  asked: strictObject({
    phases: array(string()),
    /** Of a construct, this skill alone. */
    skill: nullable(string()),
    /** What a skill without a construct is to make. */
    outputs: array(string()),
    /** Null: as the manifest says. */
    capture: nullable(picklist(['none', 'hashed', 'full'])),
    /** Keyed, so that what is kept of them can be told from what they were; empty where nothing is kept, null where there were none. */
    inputs_sha256: nullable(string()),
    intent_sha256: nullable(string()),
  }),
  /** Who had it run: nobody judges work of their own. */
  agent: nullable(string()),
  /** 0: gone when it ends; null: kept. */
  retention_days: nullable(Count),
  trace: string(),
  /** Of the last line of the trace: a chain does not protect its own end. */
  head: nullable(string()),
  lines: Count,
  pid: Count,
  /** When that process began, and since which start of the machine: its number may come round again. */
  began: string(),
  boot: string(),
  started_at: string(),
  completed_at: nullable(string()),
  status: picklist(['running', 'success', 'failure', 'partial', 'blocked', 'timeout', 'cancelled']),
  exit_code: nullable(Count),
  executions: array(
    strictObject({
      execution_id: string(),
      phase: string(),
      skill: string(),
      status: string(),
      exit_code: Count,
      skill_sha256: string(),
      inputs_sha256: string(),
      /** `shared_with`: skills that ran beside it and may have written the file as well. */
      outputs: array(strictObject({ path: string(), sha256: string(), shared_with: exactOptional(array(string())) })),
      attempts: Count,
      duration_ms: number(),
      /** Where all is done but that somebody says whether the goal was reached. */
      review: exactOptional(string()),
    }),
  ),
});
export type RunRecord = InferOutput<typeof RunRecord>;
