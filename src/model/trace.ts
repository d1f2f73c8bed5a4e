/** One line of a trace. Fields that are null are left out. */
export interface TraceLine {
  ts: string;
  event: string;
  data: Record<string, unknown>;
  v: 1;
  seq: number;
  run_id: string;
  execution_id?: string;
  phase?: string;
  skill?: string;
  attempt?: number;
  /** SHA-256 of the bytes of the line before, or `genesis`. */
  prev: string;
}

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
export interface RunRecord {
  schema_version: 1;
  run_id: string;
  kind: 'construct' | 'skill';
  construct: { file: string; name: string; version: string; sha256: string } | null;
  project: string;
  vars: Record<string, string>;
  intent: string | null;
  task_id: string | null;
  session_id: string | null;
  /** Who had it run: nobody judges work of their own. */
  agent: string | null;
  /** 0: gone when it ends; null: kept. */
  retention_days: number | null;
  trace: string;
  /** Of the last line of the trace: a chain does not protect its own end. */
  head: string | null;
  lines: number;
  pid: number;
  /** When that process began, and since which start of the machine: its number may come round again. */
  began: string;
  boot: string;
  started_at: string;
  completed_at: string | null;
  status: 'running' | 'success' | 'failure' | 'partial' | 'blocked' | 'timeout' | 'cancelled';
  exit_code: number | null;
  executions: {
    execution_id: string;
    phase: string;
    skill: string;
    status: string;
    exit_code: number;
    skill_sha256: string;
    inputs_sha256: string;
    outputs: { path: string; sha256: string }[];
    /** Of what it printed, before anything was taken out of it. */
    primary_sha256?: string;
    attempts: number;
    duration_ms: number;
  }[];
}
