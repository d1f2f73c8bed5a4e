import type { CheckSpec, PhaseSpec } from '../model/construct.ts';
import { expandVariables } from '../rules/construct/conventions.ts';
import { formatRemedy, type GateCheck } from '../rules/gate/gate.ts';
import { type CheckFact, toNamedCheck } from '../rules/gate/precondition.ts';
import { getVars } from './artifacts.ts';
import { listConstructVariables, type RunContext } from './run-context.ts';

/** Runs the checks that a manifest names, one after the other. */
export async function checkNamed(run: RunContext, phase: PhaseSpec, specs: CheckSpec[]): Promise<GateCheck[]> {
  const checks: GateCheck[] = [];
  for (const spec of specs) checks.push(toNamedCheck(spec, await findFact(run, phase, spec)));
  return checks;
}

async function findFact(run: RunContext, phase: PhaseSpec, spec: CheckSpec): Promise<CheckFact> {
  const { platform, artifacts, signal } = run;
  const vars = getVars(run, phase.name);
  switch (spec.kind) {
    case 'exists': {
      const path = expandVariables(spec.path, vars);
      return { kind: 'exists', isMet: platform.findFiles(path).files.some(({ kind }) => kind === 'file' || kind === 'folder'), path };
    }
    case 'context_files_exist': {
      const path = 'context/*';
      return { kind: 'context_files_exist', isMet: platform.findFiles(path).files.some(({ kind }) => kind === 'file'), path };
    }
    case 'completeness': {
      const artifact = { path: spec.path, schema: spec.schema, required: true, min_completeness: spec.min, required_sections: null };
      const { files, spec: expanded } = artifacts.find(artifact, vars);
      const shares = files.map(({ completeness }) => completeness?.completeness);
      const actual = shares.length === 0 || shares.some((share) => share === undefined) ? null : Math.min(...(shares as number[]));
      const sections = files.flatMap(({ completeness }) => completeness?.sections ?? []);
      return {
        kind: 'completeness',
        isMet: actual !== null && actual >= spec.min,
        path: expanded.path,
        actual,
        remedy: sections.length > 0 ? formatRemedy(expanded.path, sections) : `write ${expanded.path}`,
      };
    }
    case 'operator_detected':
      return { kind: 'operator_detected', operator: platform.detectOperator() };
    case 'env':
      return { kind: 'env', isMet: (platform.env[spec.variable] ?? '') !== '' };
    case 'git_clean':
      return { kind: 'git_clean', dirtyFiles: (await platform.readGitState())?.dirtyFiles };
    case 'command':
      return {
        kind: 'command',
        isMet: await platform.commandSucceeds(spec.argv, {
          timeoutMs: spec.timeoutMs,
          variables: listConstructVariables(run.request),
          signal,
        }),
      };
  }
}
