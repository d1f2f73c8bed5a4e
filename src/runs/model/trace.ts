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

/** One line of a trace. Absent fields are omitted, and readers ignore unknown ones. */
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
export const TraceLineSchema = looseObject(line);
export type TraceLine = InferOutput<StrictObjectSchema<typeof line, undefined>>;

const traceEvents = [
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

/** `.cleo/runs/<run_id>/run.json`: progress and outcome of a run. */
export const RunRecordSchema = strictObject({
  schema_version: literal(1),
  run_id: string(),
  kind: picklist(['construct', 'skill', 'work']),
  construct: nullable(strictObject({ file: string(), name: string(), version: string(), sha256: string() })),
  project: string(),
  vars: record(string(), string()),
  intent: nullable(string()),
  task_id: nullable(string()),
  session_id: nullable(string()),
  /** The other parameters of the run, so that resuming it needs none of them again. */
  asked: strictObject({
    phases: array(string()),
    /** The one skill of a construct that was selected. */
    skill: nullable(string()),
    /** Outputs of a skill that runs without a construct. */
    outputs: array(string()),
    /** Null: the setting of the manifest. */
    capture: nullable(picklist(['none', 'hashed', 'full'])),
    /** Keyed hashes, so that stored inputs can be compared with given ones; empty if nothing is stored, null if there were none. */
    inputs_sha256: nullable(string()),
    intent_sha256: nullable(string()),
  }),
  /** The agent that started the run; agents cannot review their own work. */
  agent: nullable(string()),
  /** 0: delete when the run ends; null: keep forever. */
  retention_days: nullable(Count),
  trace: string(),
  /** Hash of the last line of the trace, because a hash chain does not protect its own end. */
  head: nullable(string()),
  lines: Count,
  pid: Count,
  /** Start time of the process and id of the machine's boot, because process ids are reused. */
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
      /** `shared_with`: skills that ran at the same time and may also have written the file. */
      outputs: array(strictObject({ path: string(), sha256: string(), shared_with: exactOptional(array(string())) })),
      attempts: Count,
      duration_ms: number(),
      /** The review that has to decide whether the goal was reached, if that is all that is left. */
      review: exactOptional(string()),
    }),
  ),
});
export type RunRecord = InferOutput<typeof RunRecordSchema>;
