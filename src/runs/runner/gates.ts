import type { CheckSpec, GoalSpec, PhaseSpec } from '../model/construct.ts';
import type { GateResult, PhaseHandoff, Warning } from '../model/execution.ts';
import { type ArtifactCheck, checkArtifact, checkOutputs, checkPrimary, getInputExitCode } from '../rules/gate/artifacts.ts';
import { createCheck, createUncheckedGate, type GateCheck, toGateResult } from '../rules/gate/gate.ts';
import { emptyClaim } from '../rules/skill-claim.ts';
import { type Execution, passGate } from './execution-state.ts';
import { getVars, type RunContext } from './run-context.ts';

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
