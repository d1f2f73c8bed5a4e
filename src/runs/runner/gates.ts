import { defined } from '#lib/collections.ts';
import { toCanonicalJson } from '#lib/digest.ts';
import type { SkillInfo } from '#platform/runner/port.ts';
import type { CheckSpec, GoalSpec, PhaseSpec, SkillSpec } from '../model/construct.ts';
import type {
  Artifact,
  GateResult,
  PhaseHandoff,
  RetryAttempt,
  RunGateName,
  RunProblem,
  SideEffect,
  SkillExecutionResult,
  Warning,
} from '../model/execution.ts';
import { createSkillSpec } from '../rules/construct/conventions.ts';
import {
  type ArtifactCheck,
  checkArtifact,
  checkOutputs,
  checkPrimary,
  createCheck,
  createUncheckedGate,
  type GateCheck,
  getInputExitCode,
  isBlocking,
  overrideGate,
  toGateResult,
} from '../rules/gate/gate.ts';
import { type ExitMeaning, emptyClaim, explainExit, explainRunnerExit } from '../rules/skill-contract.ts';
import { createFileChangeTracker, type FileChanges, type FileChangeTracker, getVars } from './artifacts.ts';
import type { AttemptOutcome } from './attempts.ts';
import type { RunContext } from './run-context.ts';

/** Timeout of one attempt. */
export interface AttemptLimit {
  timeoutMs: number;
  /** False if it is the time left until the deadline of the phase. */
  isOwn: boolean;
}

export interface ExecutionOutcome {
  result: SkillExecutionResult;
  meaning: ExitMeaning;
  attempts: number;
  isSkipped: boolean;
  isCancelled: boolean;
  /** The limit that the last attempt exceeded. */
  timedOut?: AttemptLimit | undefined;
  /** Id of the review that was opened. */
  review?: string;
  /** Paths of the outputs of an earlier execution whose result is reused. */
  reusedOutputs?: string[];
}

/** One execution of one skill in one phase, with all its attempts. */
export interface Execution {
  id: string;
  phase: PhaseSpec;
  skill: SkillSpec;
  info: SkillInfo;
  startedAt: string;
  startedMs: number;
  gates: GateResult[];
  errors: RunProblem[];
  warnings: Warning[];
  retries: RetryAttempt[];
  attempts: number;
  inputs: Record<string, unknown>;
  /** Keyed, so that inputs cannot be guessed from the hash in the record. */
  inputsHash: string;
  /** Required inputs that do not exist. */
  missing: string[];
  lastAttempt?: AttemptOutcome;
  timedOut?: AttemptLimit | undefined;
  sideEffects: SideEffect[];
  /** Files that the skill reported as its artifacts. */
  claimedFiles: string[];
  /** Artifacts outside the project that the skill reported: addresses and references. */
  reportedArtifacts: Artifact[];
  changes: FileChanges;
  primary: unknown;
  isCancelled: boolean;
  isSkipped: boolean;
  /** The review that was opened. `decides`: the execution stays open until it is resolved. */
  review?: { id: string; decides: boolean };
  /** Handoffs that the phase received. This and the following fields are set when the phase is entered. */
  handoffs: PhaseHandoff[];
  /** Deadline of the phase on the monotonic clock. */
  deadlineAt?: number;
  /** Files that the executions of the phase have written so far. */
  written: Set<string>;
  tracker: FileChangeTracker;
  /** True if no other execution of the phase is still to come, so that all outputs of the phase must exist. */
  isLast(): boolean;
  /** Checks the handoffs to the next phases. */
  checkOnwardHandoffs(): GateCheck[];
}

/** Stands for the skill of a phase that names none, so that its gates are still checked. */
export const noSkill: SkillSpec = createSkillSpec('-');

export const getExecutionId = ({ record }: RunContext, phase: string, skill: string): string => `${record.run_id}:${phase}:${skill}`;

export async function createExecution(run: RunContext, phase: PhaseSpec, skill: SkillSpec): Promise<Execution> {
  const { platform, request } = run;
  return {
    id: getExecutionId(run, phase.name, skill.name),
    phase,
    skill,
    info: await platform.findSkill(skill.name, skill.path),
    startedAt: platform.now(),
    startedMs: platform.monotonicMs(),
    gates: [],
    errors: [],
    warnings: [],
    retries: [],
    attempts: 0,
    inputs: { ...run.primaries, ...request.inputs },
    inputsHash: hashInputs(run, phase),
    missing: [],
    sideEffects: [],
    claimedFiles: [],
    reportedArtifacts: [],
    changes: { artifacts: [], sideEffects: [], warnings: [], written: [] },
    primary: null,
    isCancelled: false,
    isSkipped: false,
    handoffs: [],
    written: new Set(),
    tracker: createFileChangeTracker(platform),
    isLast: () => true,
    checkOnwardHandoffs: () => [],
  };
}

/** Keyed hash of everything that decides what a skill does, so that a resumed run can reuse its result. Outputs of earlier skills count
 *  by their stored text, which a resumed run still has. */
function hashInputs(run: RunContext, phase: PhaseSpec): string {
  const { inputs, intent = null } = run.request;
  const vars = getVars(run, phase.name);
  const files = phase.inputs.flatMap((spec) => run.artifacts.find(spec, vars).files.map(({ path, sha256 }) => [path, sha256]));
  const printed = [...run.printed].map(([name, read]) => [name, run.platform.hash(read() ?? '')]);
  return run.platform.hmac(toCanonicalJson({ inputs, printed, intent, files }));
}

/** Hash of the skill folder and of the command that the manifest gives it. */
export function hashSkill({ platform, request }: RunContext, { skill, info }: Execution): string {
  const command = skill.run ?? (info.command ? undefined : request.construct.executor);
  return command ? platform.hash(toCanonicalJson({ folder: info.sha256, given: command, shell: skill.shell })) : info.sha256;
}

export const getResultPath = ({ phase, skill, attempts }: { phase: string; skill: string; attempts: number }): string =>
  `${phase}/${skill}/${Math.max(1, attempts)}/result.json`;

/** What identifies an execution in traces and reviews. */
export interface NamedExecution {
  id: string;
  phase: { name: string };
  skill: { name: string };
}

/** The subject of the trace events of an execution. */
export const getSubject = ({ id, phase, skill }: NamedExecution) => ({ execution_id: id, phase: phase.name, skill: skill.name });

/** Explains an exit code of the skill itself. */
export const explainSkillExit = ({ request }: RunContext, { phase }: Execution, code: number): ExitMeaning =>
  explainExit(code, request.construct.exitCodes, phase.exitCodes);

/** Explains an exit code that the runner assigned. */
export const explainStop = ({ request }: RunContext, { phase }: Execution, code: number): ExitMeaning =>
  explainRunnerExit(code, request.construct.exitCodes, phase.exitCodes);

/** Adds warnings, each only once even if it occurs in several attempts. */
export function addWarnings({ warnings }: Execution, ...added: Warning[]): void {
  for (const warning of added)
    if (!warnings.some(({ code, message }) => code === warning.code && message === warning.message)) warnings.push(warning);
}

/** Records the result of a gate; false if it blocks the execution. */
export const passGate = (
  run: RunContext,
  execution: Execution,
  gate: RunGateName,
  checks: GateCheck[],
  severity: GateResult['severity'],
): boolean => !isBlocking(recordGate(run, execution, toGateResult(gate, checks, severity, run.platform.now())));

export function skipGates(run: RunContext, execution: Execution, ...gates: readonly RunGateName[]): void {
  for (const gate of gates) execution.gates.push(createUncheckedGate(gate, 'skipped', run.platform.now()));
}

/** Records the result of a gate in place of an earlier one. A failed gate that the user forces counts as passed. */
export function recordGate(run: RunContext, execution: Execution, checked: GateResult): GateResult {
  const { force } = run.request;
  const result = force?.gate === checked.name && !checked.passed ? overrideGate(checked) : checked;
  execution.gates = [...execution.gates.filter(({ gate }) => gate !== result.gate), result];
  const { name, status, severity } = result;
  const { failures } = result.details;
  emitGate(run, result, getSubject(execution), {
    remediation_attempted: execution.retries.length > 0,
    ...(result.overridden ? { overridden: true, reason: force?.reason ?? null } : {}),
  });
  if (status === 'failed')
    for (const failure of failures) {
      const problem = { code: `gate_${name}`, message: `${failure.name}: ${failure.message}` };
      if (severity === 'block') execution.errors.push(problem);
      else addWarnings(execution, problem);
    }
  return result;
}

/** Adds the result of a gate to the trace. */
export function emitGate(
  { emit }: Pick<RunContext, 'emit'>,
  { gate, name, status, passed, severity, details: { failures, checks_performed } }: GateResult,
  subject: Parameters<RunContext['emit']>[2],
  more: Record<string, unknown>,
): void {
  emit(
    'gate_checked',
    { gate_id: gate, name, status, passed, severity, checks_performed, failures, failures_if_any: failures, ...more },
    subject,
  );
}

export const toOutcome = (execution: Execution, result: SkillExecutionResult, meaning: ExitMeaning): ExecutionOutcome => ({
  result,
  meaning,
  attempts: execution.attempts,
  isSkipped: execution.isSkipped,
  isCancelled: execution.isCancelled,
  timedOut: execution.timedOut,
  ...defined({ review: execution.review?.id }),
});

/** Selection gate: checks that the skill fits the intent. By default it only compares words, so it never blocks. */
export async function checkSelectionGate(run: RunContext, execution: Execution): Promise<GateResult> {
  const { platform } = run;
  const { construct, intent, isNamed } = run.request;
  if (intent === undefined || construct.selection === 'off') return createUncheckedGate('selection', 'skipped', platform.now());
  if (construct.selection !== 'heuristic') return (await import('./goal-judge.ts')).judgeSelection(run, execution, intent);
  const { checkSelection } = await import('../rules/gate/selection.ts');
  const checks = checkSelection(intent, execution.skill.name, await platform.listSkills(), isNamed);
  return toGateResult('selection', checks, 'warn', platform.now());
}

interface PreconditionChecks {
  checks: GateCheck[];
  /** Exit code if a check fails. */
  code: 66 | 65 | 80;
  /** A rejected handoff blocks even if the severity of the gate is `warn`. */
  severity: GateResult['severity'];
  /** Required inputs that do not exist. */
  missing: string[];
}

/** Precondition gate: checks inputs, received handoffs and the checks of the manifest. */
export async function checkPreconditions(run: RunContext, phase: PhaseSpec, handoffs: PhaseHandoff[]): Promise<PreconditionChecks> {
  const vars = getVars(run, phase.name);
  const { severity, checks } = phase.gates.precondition;
  const inputs = phase.inputs.flatMap((spec): ArtifactCheck[] => checkArtifact(run.artifacts.find(spec, vars)));
  const isRejected = handoffs.some(({ accepted }) => !accepted);
  return {
    checks: [...inputs, ...handoffs.map(checkHandoff), ...(await runNamedChecks(run, phase, checks))],
    code: isRejected ? 80 : (getInputExitCode(inputs) ?? 80),
    severity: isRejected ? 'block' : severity,
    missing: inputs.flatMap(({ defect, evidence }) => (defect === 'missing' ? (evidence.path ?? []) : [])),
  };
}

/** Checks the precondition gate of an execution. Returns the exit code if the gate blocks. */
export async function checkPreconditionGate(run: RunContext, execution: Execution): Promise<number | undefined> {
  const { checks, code, severity, missing } = await checkPreconditions(run, execution.phase, execution.handoffs);
  execution.missing = missing;
  return passGate(run, execution, 'precondition', checks, severity) ? undefined : code;
}

export const checkHandoff = ({ from_phase, accepted, rejection_reason, validation, remediation }: PhaseHandoff): GateCheck =>
  createCheck(
    `handoff:${from_phase}`,
    accepted,
    accepted ? `${from_phase} provides all required artifacts` : (rejection_reason ?? 'rejected'),
    { actual: validation.completeness },
    remediation ?? undefined,
  );

const runNamedChecks = async (run: RunContext, phase: PhaseSpec, specs: CheckSpec[]): Promise<GateCheck[]> =>
  specs.length === 0 ? [] : (await import('./named-checks.ts')).checkNamed(run, phase, specs);

/** Output gate: checks the outputs of the phase and the checks of the manifest. */
export async function checkPhaseOutputs(run: RunContext, { phase, written }: Execution): Promise<GateCheck[]> {
  const vars = getVars(run, phase.name);
  const artifacts = phase.outputs.map((spec) => run.artifacts.find(spec, vars));
  return [...checkOutputs(artifacts, written), ...(await runNamedChecks(run, phase, phase.gates.output.checks))];
}

/** Output gate: checks the primary output against its JSON Schema. */
export function checkPrimaryOutput({ schemas }: RunContext, { phase, primary }: Execution): GateCheck[] {
  const id = phase.gates.output.primarySchema;
  if (id === undefined) return [];
  const schema = schemas.json(id);
  // A missing schema fails: an output that was not checked must not pass.
  return [checkPrimary(schema ? schemas.check(schema, primary) : [`has the schema ${JSON.stringify(id)}, which is not a JSON Schema`])];
}

export interface GoalOutcome {
  result: GateResult;
  warnings: Warning[];
  /** 0 if the gate passed or is not enforced. */
  code: 0 | 4 | 83;
  /** Id of the review that decides. */
  awaits?: string;
}

/** Goal gate: asks the judge or a reviewer whether the goal was reached. By default the answer is only recorded. Undefined if the run was
 *  cancelled. */
export async function checkGoalGate(run: RunContext, execution: Execution): Promise<GoalOutcome | undefined> {
  const spec = getGoalSpec(run, execution.phase);
  const { goalStatement, evidence } = execution.lastAttempt?.claim ?? emptyClaim;
  const goal = goalStatement ?? run.request.intent;
  const skipped: GoalOutcome = { result: createUncheckedGate('goal', 'skipped', run.platform.now()), warnings: [], code: 0 };
  if (spec.mode === 'off') return skipped;
  if (goal === undefined)
    return { ...skipped, warnings: [{ code: 'no_goal', message: 'the goal gate was skipped: there is no goal; set `intent`' }] };
  return (await import('./goal-judge.ts')).judgeGoal(run, { ...execution, evidence, artifacts: execution.changes.artifacts }, spec, goal);
}

export const getGoalSpec = (run: RunContext, phase: PhaseSpec): GoalSpec => phase.goal ?? run.request.construct.goal;
