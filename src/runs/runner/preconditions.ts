import type { CheckSpec, HandoffSpec, Phase } from '../model/construct.ts';
import type { PhaseHandoff } from '../model/execution.ts';
import { expand } from '../rules/construct/variables.ts';
import { type ArtifactCheck, artifactChecks, inputCode } from '../rules/gate/artifacts.ts';
import { check, type Judged } from '../rules/gate/gate.ts';
import { handOn } from '../rules/gate/handoff.ts';
import { type CheckFact, namedCheck } from '../rules/gate/precondition.ts';
import { remedyOf } from '../rules/gate/remedy.ts';
import { type Scene, varsOf } from './run-state.ts';

export interface Preconditions {
  checks: Judged[];
  /** What to end with where they fail. */
  code: 66 | 65 | 80;
  /** Something was not accepted that had to be: whatever the gate does about other failures, nothing begins. */
  isRefused: boolean;
  /** Paths that had to be there and are not. */
  missing: string[];
}

/** Whether a phase can begin: what it receives is there, and what its author asks for holds. */
export async function preconditions(run: Scene, phase: Phase, handoffs: PhaseHandoff[]): Promise<Preconditions> {
  const vars = varsOf(run, phase.name);
  const inputs = phase.inputs.flatMap((spec): ArtifactCheck[] => artifactChecks(run.lookout.find(spec, vars)));
  const named = await namedChecks(run, phase, phase.gates.precondition.checks);
  const refused = handoffs.filter(({ accepted }) => !accepted);
  return {
    checks: [...inputs, ...handoffs.map(handoffCheck), ...named],
    code: refused.length > 0 ? 80 : (inputCode(inputs) ?? 80),
    isRefused: refused.length > 0,
    missing: inputs.flatMap(({ lack, evidence }) => (lack === 'missing' ? (evidence.path ?? []) : [])),
  };
}

/** The checks that an author named, one after the other. */
export async function namedChecks(run: Scene, phase: Phase, specs: CheckSpec[]): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const spec of specs) judged.push(namedCheck(spec, await factFor(run, phase, spec)));
  return judged;
}

export const handoffCheck = (handoff: PhaseHandoff): Judged =>
  check(
    `handoff:${handoff.from_phase}`,
    handoff.accepted,
    handoff.accepted ? `${handoff.from_phase} hands on what is needed` : (handoff.rejection_reason ?? 'refused'),
    { actual: handoff.validation.completeness },
    handoff.remediation ?? undefined,
  );

/** What one phase leaves for another, as it stands now. */
export function handoffOf(run: Scene, spec: HandoffSpec): PhaseHandoff {
  const { ground, lookout, record, request, left } = run;
  const vars = varsOf(run, spec.from);
  const sender = request.construct.phases.find(({ name }) => name === spec.from);
  return handOn({
    runId: record.run_id,
    at: ground.now(),
    spec: { ...spec, required: spec.required.map((one) => ({ ...one, path: expand(one.path, vars) })) },
    required: spec.required.map((one) => lookout.find(one, vars)),
    optional: spec.optional.map((one) => lookout.find(one, vars)),
    outputs: (sender?.outputs ?? []).flatMap((one) => lookout.find(one, vars).files),
    before: left,
  });
}

async function factFor(run: Scene, phase: Phase, spec: CheckSpec): Promise<CheckFact> {
  const { ground, lookout } = run;
  const vars = varsOf(run, phase.name);
  switch (spec.kind) {
    case 'exists': {
      const path = expand(spec.path, vars);
      return { kind: 'exists', isMet: ground.look(path).files.some(({ kind }) => kind === 'file' || kind === 'folder'), path };
    }
    case 'context_files_exist': {
      const path = 'context/*';
      return { kind: 'context_files_exist', isMet: ground.look(path).files.some(({ kind }) => kind === 'file'), path };
    }
    case 'completeness': {
      const wanted = { path: spec.path, schema: spec.schema, required: true, min_completeness: spec.min, required_sections: null };
      const { files, spec: found } = lookout.find(wanted, vars);
      const shares = files.map(({ completeness }) => completeness?.completeness);
      const actual = shares.length === 0 || shares.some((share) => share === undefined) ? null : Math.min(...(shares as number[]));
      const sections = files.flatMap(({ completeness }) => completeness?.sections ?? []);
      return {
        kind: 'completeness',
        isMet: actual !== null && actual >= spec.min,
        path: found.path,
        actual,
        remedy: sections.length > 0 ? remedyOf(found.path, sections) : `write ${found.path}`,
      };
    }
    case 'operator_detected':
      return { kind: 'operator_detected', operator: ground.operator() };
    case 'env':
      return { kind: 'env', isMet: (ground.variables[spec.variable] ?? '') !== '' };
    case 'git_clean':
      return { kind: 'git_clean', dirtyFiles: (await ground.git())?.dirtyFiles };
    case 'command':
      return { kind: 'command', isMet: await ground.succeeds(spec.argv, spec.timeoutMs, run.signal) };
  }
}
