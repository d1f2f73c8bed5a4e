import type { SkillFound } from '#platform/ground-port.ts';
import type { Phase, SkillSpec } from '../model/construct.ts';
import type { GateResult, PhaseHandoff, Problem, RetryAttempt, SideEffect, SkillExecutionResult, Warning } from '../model/execution.ts';
import { type ExitMeaning, meaningOf, refusalOf } from '../rules/exit-class.ts';
import { forced, gateOf, gateWithout, type Judged, stopsAt } from '../rules/gate/gate.ts';
import type { AttemptOutcome } from './attempt.ts';
import type { TreeOutcome } from './outputs.ts';
import type { Run } from './run-state.ts';
import type { TreeWatch } from './tree-watch.ts';

/** What an execution has around it: the phase that it is part of. */
export interface Around {
  /** What was handed to the phase. */
  handoffs: PhaseHandoff[];
  /** Whether what the phase leaves is what the next ones ask for. */
  onward(): Judged[];
  /** Nobody in the phase comes after it: now everything that the phase makes has to be there. */
  isLast(): boolean;
  /** When the time of the whole phase is up, by the clock that nobody sets. */
  deadlineAt?: number;
  /** Files that the phase has written so far. */
  touched: Set<string>;
  /** Tells what each of its skills wrote. */
  tree: TreeWatch;
}

/** How long an attempt may take. */
export interface AttemptLimit {
  timeoutMs: number;
  /** It is that of the attempt, and not what was left to the phase. */
  isOwn: boolean;
}

/** What came of an execution. */
export interface Executed {
  result: SkillExecutionResult;
  meaning: ExitMeaning;
  attempts: number;
  isSkipped: boolean;
  isCancelled: boolean;
  /** What its last attempt took more than. */
  timedOut?: AttemptLimit | undefined;
  /** What people were asked about it. */
  review?: string;
}

/** An execution under way. */
export interface Draft {
  run: Run;
  phase: Phase;
  skill: SkillSpec;
  around: Around;
  found: SkillFound;
  id: string;
  startedAt: string;
  startedMs: number;
  gates: GateResult[];
  errors: Problem[];
  warnings: Warning[];
  retries: RetryAttempt[];
  attempts: number;
  inputs: Record<string, unknown>;
  /** Keyed: what stands for the inputs in the record must not be a way to guess them. */
  inputsHash: string;
  /** Inputs that had to be there and are not. */
  missing: string[];
  last?: AttemptOutcome;
  timedOut?: AttemptLimit | undefined;
  sideEffects: SideEffect[];
  /** Files that it says are its own. */
  claimedFiles: string[];
  tree: TreeOutcome;
  primary: unknown;
  isCancelled: boolean;
  isSkipped: boolean;
  /** The review that was opened for it; `decides`: it ends as that one does. */
  review?: { id: string; decides: boolean };
}

export const executionId = ({ record }: Pick<Run, 'record'>, phase: string, skill: string): string => `${record.run_id}:${phase}:${skill}`;

export async function draftOf(run: Run, phase: Phase, skill: SkillSpec, around: Around): Promise<Draft> {
  const { ground, request } = run;
  return {
    ...{ run, phase, skill, around, found: await ground.findSkill(skill.name, skill.path), id: executionId(run, phase.name, skill.name) },
    ...{ startedAt: ground.now(), startedMs: ground.monotonicMs(), gates: [], errors: [], warnings: [], retries: [], attempts: 0 },
    ...{ inputs: { ...run.primaries, ...request.inputs }, inputsHash: '', missing: [], sideEffects: [], claimedFiles: [] },
    ...{ tree: { artifacts: [], sideEffects: [], warnings: [], touched: [] }, primary: null, isCancelled: false, isSkipped: false },
  };
}

export const aboutOf = ({ id, phase, skill }: Draft) => ({ execution_id: id, phase: phase.name, skill: skill.name });

export const meaning = ({ run, phase }: Draft, code: number): ExitMeaning =>
  meaningOf(code, run.request.construct.exitCodes, phase.exitCodes);

/** Of an end that the runner made. */
export const refusal = ({ run, phase }: Draft, code: number): ExitMeaning =>
  refusalOf(code, run.request.construct.exitCodes, phase.exitCodes);

/** Once is enough for the same remark, however often it is tried. */
export function warn(draft: Draft, ...warnings: Warning[]): void {
  for (const one of warnings)
    if (!draft.warnings.some(({ code, message }) => code === one.code && message === one.message)) draft.warnings.push(one);
}

/** Checks a gate; true where the work may go on. */
export function pass(draft: Draft, gate: 1 | 3, checks: Judged[], severity: GateResult['severity']): boolean {
  return !stopsAt(record(draft, gateOf(gate, checks, severity, draft.run.ground.now())));
}

export function skipGates(draft: Draft, ...gates: GateResult['gate'][]): void {
  for (const gate of gates) draft.gates.push(gateWithout(gate, 'skipped', draft.run.ground.now()));
}

/** Keeps the result of a gate; that of an earlier look at the same one is no longer true. What the user lets pass, passes. */
export function record(draft: Draft, judged: GateResult): GateResult {
  const { force } = draft.run.request;
  const result = force?.gate === judged.gate && !judged.passed ? forced(judged) : judged;
  draft.gates = [...draft.gates.filter(({ gate }) => gate !== result.gate), result];
  const { failures, checks_performed } = result.details;
  draft.run.tell(
    'gate_checked',
    {
      ...{ gate_id: result.gate, name: result.name, status: result.status, passed: result.passed, severity: result.severity },
      ...{ checks_performed, failures, failures_if_any: failures, remediation_attempted: draft.retries.length > 0 },
      ...(result.overridden ? { overridden: true, reason: force?.reason ?? null } : {}),
    },
    aboutOf(draft),
  );
  if (result.status === 'failed')
    for (const { name, message } of failures) {
      const problem = { code: `gate_${result.name}`, message: `${name}: ${message}` };
      if (result.severity === 'block') draft.errors.push(problem);
      else warn(draft, problem);
    }
  return result;
}
