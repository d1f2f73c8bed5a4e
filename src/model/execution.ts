/** What a run writes about itself. Names, and nulls where there is nothing, are those of the published schemas: others read these files. */
export type ExecutionStatus = 'success' | 'failure' | 'partial' | 'blocked' | 'timeout';

export interface SkillExecutionResult {
  execution_id: string;
  skill_id: string;
  skill_version: string;
  status: ExecutionStatus;
  exit_code: number;
  started_at: string;
  completed_at: string;
  duration_ms: number;
  inputs: { provided: Record<string, unknown>; defaults_used: string[]; missing: string[] };
  outputs: { primary: unknown; artifacts: Artifact[]; side_effects: SideEffect[] };
  diagnostics: { gates_passed: GateResult[]; errors: Problem[]; warnings: Warning[]; retries: RetryAttempt[] };
  assessment: { confidence: number | null; goal_statement: string | null; evidence: Evidence[]; human_review_requested: boolean };
}

export interface Artifact {
  type: 'file' | 'url' | 'reference';
  path: string;
  content_type: string;
  size_bytes: number;
  checksum: string;
  metadata: Record<string, unknown>;
}

export interface SideEffect {
  type: 'file_write' | 'api_call' | 'state_change' | 'notification';
  target: string;
  reversible: boolean;
  description: string;
}

export const gateNames = ['selection', 'precondition', 'execution', 'output', 'goal'] as const;
export type GateNumber = 0 | 1 | 2 | 3 | 4;

export interface GateResult {
  gate: GateNumber;
  name: (typeof gateNames)[number];
  passed: boolean;
  checked_at: string;
  details: { checks_performed: Check[]; failures: CheckFailure[] };
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'error' | 'not_reached';
  severity: 'block' | 'warn';
  overridden?: true;
}

export interface Check {
  name: string;
  passed: boolean;
  message: string;
  evidence: { path: string | null; line: number | null; expected: unknown; actual: unknown };
}
export type CheckFailure = Pick<Check, 'name' | 'message' | 'evidence'> & { remediation: string | null };

export interface Problem {
  code: string;
  message: string;
}
/** By a fixed code: leaked_process, truncated_output, undeclared_write, undeclared_exit_code, reserved_exit_code, status_mismatch, stale_output … */
export type Warning = Problem;
export interface Evidence {
  type: string;
  description: string;
  reference: string | null;
}

export interface RetryAttempt {
  attempt: number;
  exit_code: number;
  class: string;
  duration_ms: number;
  delay_ms: number;
  reason: string;
}

export interface PhaseHandoff {
  schema_version: 1;
  run_id: string;
  from_phase: string;
  to_phase: string;
  handoff_at: string;
  artifacts: {
    required: { path: string; schema: string | null; min_completeness: number | null }[];
    provided: (Artifact & { completeness: number | null })[];
    missing: string[];
    extra: string[];
  };
  validation: { schema_valid: boolean; completeness: number | null; blockers: string[]; warnings: string[]; skipped: boolean };
  accepted: boolean;
  rejection_reason: string | null;
  remediation: string | null;
}
