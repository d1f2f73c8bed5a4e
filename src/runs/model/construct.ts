import type { StageName } from '#planning/model/lifecycle.ts';
import type { ArtifactSpec } from './execution.ts';
import type { ExitClass } from './skill-exit.ts';

export type { ArtifactSpec };

/** A construct.yaml ready to run: every source of a phase merged, defaults filled in, variables still in braces. */
export interface Construct {
  /** As given by the caller; relative to the project if it is inside. */
  file: string;
  /** Hash of the file's bytes. */
  sha256: string;
  name: string;
  /** The default value of {project}, if it differs from `name`. */
  project?: string;
  version: string;
  phases: PhaseSpec[];
  handoffs: HandoffSpec[];
  skills: SkillSpec[];
  type: 'sequential' | 'parallel';
  /** Defaults to the number of cores, at most four. */
  maxConcurrency?: number;
  /** The command that runs a skill without a program of its own. */
  executor?: string[];
  env: string[];
  credentials: string[];
  exitCodes: ExitCodeNames;
  capture: CaptureSpec;
  goal: GoalSpec;
  selection: 'heuristic' | 'judge' | 'review' | 'off';
  judge?: JudgeSpec;
  reviewersRequired: number;
  redaction: { patterns: string[]; allow: string[] };
  /** The lifecycle stage that a successful run completes. */
  lifecycleStage?: StageName;
}

export interface PhaseSpec {
  name: string;
  /** In the order in which they run. */
  skills: string[];
  inputs: ArtifactSpec[];
  outputs: ArtifactSpec[];
  gates: { precondition: PhaseGate; execution: PhaseGate; output: PhaseGate & { primarySchema?: string } };
  goal?: GoalSpec;
  exitCodes: ExitCodeNames;
  /** True if the contract of the phase lists exit codes. */
  declaresExitCodes: boolean;
  timeoutMs: number;
  /** Timeout of all attempts together. */
  deadlineMs?: number;
  maxRetries: number;
  retryOn: ExitClass[];
  killGraceMs: number;
}

interface PhaseGate {
  severity: 'block' | 'warn';
  checks: CheckSpec[];
}

/** One check, with the name that its author gave it. */
export type CheckSpec =
  | { kind: 'exists'; name: string; path: string }
  | { kind: 'completeness'; name: string; path: string; schema: string; min: number }
  | { kind: 'context_files_exist'; name: string }
  | { kind: 'operator_detected'; name: string }
  | { kind: 'env'; name: string; variable: string }
  | { kind: 'git_clean'; name: string }
  | { kind: 'command'; name: string; argv: string[]; timeoutMs: number };

export interface HandoffSpec {
  from: string;
  to: string;
  required: ArtifactSpec[];
  optional: ArtifactSpec[];
  onFailure: 'block' | 'warn' | 'skip';
}

export interface SkillSpec {
  name: string;
  phase?: string;
  required: boolean;
  path?: string;
  run?: string[];
  /** `run` is one shell command line. */
  shell: boolean;
  env: string[];
  credentials: string[];
  timeoutMs?: number;
  maxRetries?: number;
}

export interface CaptureSpec {
  enabled: boolean;
  /** 0: delete when the run ends; null: keep forever. */
  retentionDays: number | null;
  inputs: 'none' | 'hashed' | 'full';
  outputs: 'none' | 'summary' | 'full';
}

export interface GoalSpec {
  mode: 'off' | 'judge' | 'review' | 'judge_then_review';
  enforce: boolean;
  rubric: { id: string; question: string; weight: number }[];
}

export interface JudgeSpec {
  command: string[];
  timeoutMs: number;
  maxRetries: number;
  /** An odd number, so that there is a majority. */
  votes: number;
  minScore: number;
}

/** Names and classes that a manifest gives to exit codes. */
export type ExitCodeNames = Record<number, { name: string; class?: ExitClass }>;

/** An error or warning about a manifest. A manifest with errors is not run. */
export interface ManifestFinding {
  severity: 'error' | 'warning';
  /** `phases.design.receives[0].path`. */
  where: string;
  line?: number;
  column?: number;
  problem: string;
  fix?: string;
}
