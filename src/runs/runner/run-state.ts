import { canonical } from '#lib/canonical.ts';
import type { Redactor } from '#lib/redactor-port.ts';
import type { Ground, SkillFound, TraceAbout, TraceWriter } from '#platform/ground-port.ts';
import type { Construct, SkillSpec } from '../model/construct.ts';
import type { RunRecord, TraceEvent } from '../model/trace.ts';
import type { Lookout, Schemas } from './found.ts';

/** What a run was asked for. */
export interface RunRequest {
  construct: Construct;
  kind: 'construct' | 'skill';
  project: string;
  vars: Record<string, string>;
  intent?: string;
  taskId?: string;
  sessionId?: string;
  /** Who asks for it. */
  agent?: string;
  inputs: Record<string, unknown>;
  /** What the record keeps of the call, for whoever goes on with it. */
  asked: Pick<RunRecord['asked'], 'skill' | 'outputs' | 'capture'>;
  /** The phases to run, in order. */
  phases: string[];
  /** The run to go on with. */
  resume?: RunRecord;
  /** Executions of other runs that need not be run again if nothing they depend on has changed. */
  reusable: RunRecord['executions'];
  /** What nobody said, and was taken to be as it usually is. */
  defaults: string[];
  force?: { gate: number; reason: string };
  /** Why a run goes on although its manifest is another by now. */
  changedManifest?: string;
  timeoutMs?: number;
  waitMs: number;
  /** The same call, with more patience. */
  waiting: string;
  /** The user named the skill: nobody else need have chosen it. */
  isNamed: boolean;
  usesJudgeCache: boolean;
}

/** A run under way. */
export interface Run {
  ground: Ground;
  request: RunRequest;
  record: RunRecord;
  redactor: Redactor;
  trace: TraceWriter;
  schemas: Schemas;
  lookout: Lookout;
  signal: AbortSignal;
  /** The primary outputs of skills that have run, by their names. */
  primaries: Record<string, unknown>;
  /** What is kept of what they printed: it is the same after a resume. */
  printed: Map<string, () => string | undefined>;
  /** The phase in which something had to be done again that an earlier part of this run had done; undefined: nowhere yet. */
  departed: { from?: string };
  /** What each file was when the phase that made it had ended. */
  left: Map<string, string>;
  warnings: { code: string; message: string }[];
  tell(event: TraceEvent, data: Record<string, unknown>, about?: TraceAbout): void;
  save(): void;
}

/** What has to be known to look at a phase, before anything of it has run. */
export type Scene = Pick<Run, 'ground' | 'request' | 'lookout' | 'left'> & {
  record: Pick<RunRecord, 'run_id' | 'started_at'>;
  signal?: AbortSignal;
};

export const varsOf = ({ request, record }: Pick<Scene, 'request' | 'record'>, phase: string): Record<string, string> => ({
  ...request.vars,
  project: request.project,
  run_id: record.run_id,
  phase,
  date: record.started_at.slice(0, 10),
});

/** Tells what a run was given from what is kept of it, which may be less. */
export const markOf = (ground: Ground, value: unknown): string => ground.mac(canonical(value));

/** Of its folder, and of the command that a manifest gives it instead of its own. */
export function skillDigest({ ground, request }: Run, { run, shell }: SkillSpec, { sha256, command }: SkillFound): string {
  const given = run ?? (command ? undefined : request.construct.executor);
  return given ? ground.hash(canonical({ folder: sha256, given, shell })) : sha256;
}
