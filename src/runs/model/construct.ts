import type { StageName } from '#planning/model/lifecycle.ts';
import type { ArtifactSpec } from './execution.ts';
import type { ExitClass } from './skill-exit.ts';

export type { ArtifactSpec };

/** A construct.yaml as it is run: every source of a phase merged, every default filled in, variables still in braces. */
export interface Construct {
  /** As it was asked for, relative to the project where it is inside. */
  file: string;
  /** Of the file's bytes. */
  sha256: string;
  name: string;
  /** What {project} stands for where nobody says, unless that is the name. */
  project?: string;
  version: string;
  phases: Phase[];
  handoffs: HandoffSpec[];
  skills: SkillSpec[];
  type: 'sequential' | 'parallel';
  /** Undefined: as many as the machine has, at most four. */
  maxConcurrency?: number;
  /** Runs a skill that brings nothing to run itself. */
  executor?: string[];
  env: string[];
  credentials: string[];
  exitCodes: ExitCodeNames;
  capture: Capture;
  goal: GoalSpec;
  selection: 'heuristic' | 'judge' | 'review' | 'off';
  judge?: JudgeSpec;
  reviewersRequired: number;
  redaction: { patterns: string[]; allow: string[] };
  /** The lifecycle stage that a successful run completes. */
  lifecycleStage?: StageName;
}

export interface Phase {
  name: string;
  /** In the order in which they run. */
  skills: string[];
  inputs: ArtifactSpec[];
  outputs: ArtifactSpec[];
  gates: { precondition: PhaseGate; execution: PhaseGate; output: PhaseGate & { primarySchema?: string } };
  goal?: GoalSpec;
  exitCodes: ExitCodeNames;
  /** Whether the phase says which codes its skills end with. */
  declaresExitCodes: boolean;
  timeoutMs: number;
  /** For all attempts together. */
  deadlineMs?: number;
  maxRetries: number;
  retryOn: ExitClass[];
  killGraceMs: number;
}

export interface PhaseGate {
  severity: 'block' | 'warn';
  checks: CheckSpec[];
}

/** One thing to look at, by the name its author gave it. */
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
  /** `run` is one line for the shell. */
  shell: boolean;
  env: string[];
  credentials: string[];
  timeoutMs?: number;
  maxRetries?: number;
}

export interface Capture {
  enabled: boolean;
  /** 0: gone when the run ends; null: kept. */
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
  /** Odd. */
  votes: number;
  minScore: number;
}

/** What a manifest calls a code, and the class it thereby gives it. */
export type ExitCodeNames = Record<number, { name: string; class?: ExitClass }>;

/** Something to say of a manifest. Errors keep it from running. */
export interface Finding {
  severity: 'error' | 'warning';
  /** `phases.design.receives[0].path`. */
  where: string;
  line?: number;
  column?: number;
  problem: string;
  fix?: string;
}
