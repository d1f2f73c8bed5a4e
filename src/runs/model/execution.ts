import {
  array,
  boolean,
  exactOptional,
  type InferOutput,
  integer,
  literal,
  maxValue,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  record,
  strictObject,
  string,
  union,
  unknown,
} from 'valibot';

/** Types of the files that a run writes. Their keys, and null for an absent value, are those of the published schemas, because other tools
 *  read these files. */
const ExecutionStatusSchema = picklist(['success', 'failure', 'partial', 'blocked', 'timeout']);
export type ExecutionStatus = InferOutput<typeof ExecutionStatusSchema>;

const Count = pipe(number(), integer(), minValue(0));
const ExitCode = pipe(number(), integer(), minValue(0), maxValue(255));
/** From 0 to 1. */
const Share = pipe(number(), minValue(0), maxValue(1));

export const ArtifactSchema = strictObject({
  type: picklist(['file', 'url', 'reference']),
  path: string(),
  content_type: string(),
  size_bytes: Count,
  checksum: string(),
  metadata: record(string(), unknown()),
});
export type Artifact = InferOutput<typeof ArtifactSchema>;

export const SideEffectSchema = strictObject({
  type: picklist(['file_write', 'api_call', 'state_change', 'notification']),
  target: string(),
  reversible: boolean(),
  description: string(),
});
export type SideEffect = InferOutput<typeof SideEffectSchema>;

/** The five run gates in order. The index of a name is the number in the `gate` field of JSON. */
export const runGateNames = ['selection', 'precondition', 'execution', 'output', 'goal'] as const;
export type RunGateName = (typeof runGateNames)[number];

export const CheckSchema = strictObject({
  name: string(),
  passed: boolean(),
  message: string(),
  evidence: strictObject({ path: nullable(string()), line: nullable(number()), expected: unknown(), actual: unknown() }),
});
export type Check = InferOutput<typeof CheckSchema>;

export const CheckFailureSchema = strictObject({
  name: string(),
  message: string(),
  evidence: CheckSchema.entries.evidence,
  remediation: nullable(string()),
});
export type CheckFailure = InferOutput<typeof CheckFailureSchema>;

export const GateResultSchema = strictObject({
  gate: union([literal(0), literal(1), literal(2), literal(3), literal(4)]),
  name: picklist(runGateNames),
  passed: boolean(),
  checked_at: string(),
  details: strictObject({ checks_performed: array(CheckSchema), failures: array(CheckFailureSchema) }),
  status: picklist(['passed', 'failed', 'skipped', 'pending', 'error', 'not_reached']),
  severity: picklist(['block', 'warn']),
  overridden: exactOptional(literal(true)),
});
export type GateResult = InferOutput<typeof GateResultSchema>;

export const RunProblemSchema = strictObject({ code: string(), message: string() });
export type RunProblem = InferOutput<typeof RunProblemSchema>;

/** A warning with a fixed code: leaked_process, truncated_output, undeclared_write, undeclared_exit_code, reserved_exit_code,
 *  status_mismatch, stale_output … `path` is the file it is about. */
export const WarningSchema = strictObject({ ...RunProblemSchema.entries, path: exactOptional(string()) });
export type Warning = InferOutput<typeof WarningSchema>;

export const SkillEvidenceSchema = strictObject({ type: string(), description: string(), reference: nullable(string()) });
export type SkillEvidence = InferOutput<typeof SkillEvidenceSchema>;

export const RetryAttemptSchema = strictObject({
  attempt: Count,
  exit_code: ExitCode,
  class: string(),
  duration_ms: number(),
  delay_ms: number(),
  reason: string(),
});
export type RetryAttempt = InferOutput<typeof RetryAttemptSchema>;

export const SkillExecutionResultSchema = strictObject({
  execution_id: string(),
  skill_id: string(),
  skill_version: string(),
  status: ExecutionStatusSchema,
  exit_code: ExitCode,
  started_at: string(),
  completed_at: string(),
  duration_ms: number(),
  inputs: strictObject({ provided: record(string(), unknown()), defaults_used: array(string()), missing: array(string()) }),
  outputs: strictObject({ primary: unknown(), artifacts: array(ArtifactSchema), side_effects: array(SideEffectSchema) }),
  diagnostics: strictObject({
    gates_passed: array(GateResultSchema),
    errors: array(RunProblemSchema),
    warnings: array(WarningSchema),
    retries: array(RetryAttemptSchema),
  }),
  assessment: strictObject({
    confidence: nullable(Share),
    goal_statement: nullable(string()),
    evidence: array(SkillEvidenceSchema),
    human_review_requested: boolean(),
  }),
});
export type SkillExecutionResult = InferOutput<typeof SkillExecutionResultSchema>;

/** A file or pattern that a phase needs or produces. */
export const ArtifactSpecSchema = strictObject({
  path: string(),
  schema: nullable(string()),
  required: boolean(),
  min_completeness: nullable(Share),
  /** `true`: all sections that the schema requires. */
  required_sections: nullable(union([array(string()), literal(true)])),
});
export type ArtifactSpec = InferOutput<typeof ArtifactSpecSchema>;

export const PhaseHandoffSchema = strictObject({
  schema_version: literal(1),
  run_id: string(),
  from_phase: string(),
  to_phase: string(),
  handoff_at: string(),
  artifacts: strictObject({
    required: array(ArtifactSpecSchema),
    provided: array(strictObject({ ...ArtifactSchema.entries, completeness: nullable(Share) })),
    missing: array(string()),
    extra: array(string()),
  }),
  validation: strictObject({
    schema_valid: boolean(),
    completeness: nullable(Share),
    blockers: array(string()),
    warnings: array(string()),
    skipped: boolean(),
  }),
  accepted: boolean(),
  rejection_reason: nullable(string()),
  remediation: nullable(string()),
});
export type PhaseHandoff = InferOutput<typeof PhaseHandoffSchema>;
