import type { Phase } from '../model/construct.ts';
import type { Artifact, SideEffect, Warning } from '../model/execution.ts';
import type { Snapshot } from '../model/tree.ts';
import { contentTypeOf } from '../rules/content-type.ts';
import type { Judged } from '../rules/gate/gate.ts';
import { fulfilment, outputChecks, primaryCheck } from '../rules/gate/output.ts';
import { changesBetween } from '../rules/tree-changes.ts';
import { namedChecks } from './preconditions.ts';
import { type Run, varsOf } from './run-state.ts';

export interface TreeOutcome {
  artifacts: Artifact[];
  sideEffects: SideEffect[];
  warnings: Warning[];
  /** Files that were written. */
  touched?: Set<string>;
}

/** Beyond so many undeclared writes one more says nothing new. */
const mostTold = 50;

/** What changed in the tree: what the phase was to make, and everything else. */
export function touchedBy(run: Run, phase: Phase, before: Snapshot, after: Snapshot): TreeOutcome {
  const changes = changesBetween(before, after);
  const vars = varsOf(run, phase.name);
  const declared = new Map(phase.outputs.flatMap((spec) => run.lookout.find(spec, vars).files.map((file) => [file.path, file] as const)));
  const written = changes.filter(({ change }) => change !== 'deleted');
  const artifacts = written.flatMap(({ path }): Artifact[] => {
    const file = declared.get(path);
    if (!file || file.kind !== 'file') return [];
    return [
      {
        type: 'file',
        path,
        content_type: contentTypeOf(path),
        size_bytes: file.size,
        checksum: file.sha256,
        metadata: file.completeness ? { completeness: file.completeness.completeness } : {},
      },
    ];
  });
  const others = changes.filter(({ path, change }) => change === 'deleted' || !declared.has(path));
  const warnings = others
    .slice(0, mostTold)
    .map(
      ({ path, change }): Warning => ({ code: 'undeclared_write', message: `${path} was ${change}, and is no output of ${phase.name}` }),
    );
  if (others.length > mostTold) warnings.push({ code: 'undeclared_write', message: `and ${others.length - mostTold} more` });
  if (after.isCoarse) warnings.push({ code: 'coarse_scan', message: 'there are too many files to look at each; git was asked' });
  return {
    artifacts,
    sideEffects: others
      .slice(0, mostTold)
      .map(({ path, change }) => ({ type: 'file_write', target: path, reversible: false, description: change })),
    warnings,
    touched: new Set(written.map(({ path }) => path)),
  };
}

export async function outputsOf(run: Run, phase: Phase, touched: Set<string>, primary: unknown): Promise<Judged[]> {
  const vars = varsOf(run, phase.name);
  const { primarySchema } = phase.gates.output;
  const schema = primarySchema === undefined ? undefined : run.schemas.json(primarySchema);
  return [
    ...outputChecks(
      phase.outputs.map((spec) => run.lookout.find(spec, vars)),
      touched,
    ),
    ...(schema ? [primaryCheck(run.schemas.check(schema, primary))] : []),
    ...(await namedChecks(run, phase, phase.gates.output.checks)),
  ];
}

/** What a phase had to make, and how much of it is there now: what an assessment asks for. */
export function requiredOutputs(run: Run, phase: Phase): { path: string; schema: string | null; completeness: number }[] {
  const vars = varsOf(run, phase.name);
  return phase.outputs
    .filter(({ required }) => required)
    .map((spec) => run.lookout.find(spec, vars))
    .map((found) => ({ path: found.spec.path, schema: found.spec.schema, completeness: fulfilment(found) }));
}
