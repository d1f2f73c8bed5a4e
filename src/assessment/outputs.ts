import type { Phase } from '../model/construct.ts';
import type { Artifact, SideEffect, Warning } from '../model/execution.ts';
import type { FoundFile } from '../model/found.ts';
import type { Snapshot, TreeChange } from '../model/tree.ts';
import { expand } from '../rules/construct/variables.ts';
import { contentTypeOf } from '../rules/content-type.ts';
import type { Judged } from '../rules/gate/gate.ts';
import { fulfilment, outputChecks, primaryCheck } from '../rules/gate/output.ts';
import { globMatcher, isGlob } from '../rules/glob.ts';
import { changesBetween } from '../rules/tree-changes.ts';
import { namedChecks } from './preconditions.ts';
import { type Run, varsOf } from './run-state.ts';

export interface TreeOutcome {
  artifacts: Artifact[];
  sideEffects: SideEffect[];
  warnings: Warning[];
  /** Files that were written. */
  touched: string[];
}

export interface TreeFacts {
  before: Snapshot;
  after: Snapshot;
  /** What was there before of what the phase makes. */
  outputs: Map<string, string>;
  /** What the skill says that it did. */
  claimed: SideEffect[];
}

/** Beyond so many undeclared writes one more says nothing new. */
const mostTold = 50;

/** Hashes of what is there already of what a phase makes: a tree with too many files to look at each does not tell. */
export const outputsBefore = (run: Run, phase: Phase): Map<string, string> =>
  new Map(declaredFiles(run, phase).map(({ path, sha256 }) => [path, sha256]));

function declaredFiles(run: Run, phase: Phase): FoundFile[] {
  const vars = varsOf(run, phase.name);
  return phase.outputs.flatMap((spec) => run.lookout.find(spec, vars).files);
}

/** What changed in the tree: what the phase was to make, and everything else. */
export function touchedBy(run: Run, phase: Phase, { before, after, outputs, claimed }: TreeFacts): TreeOutcome {
  const isCoarse = before.isCoarse || after.isCoarse;
  const declared = new Map(declaredFiles(run, phase).map((file) => [file.path, file]));
  const rewritten = [...declared.values()].filter(({ path, sha256 }) => outputs.get(path) !== sha256).map(({ path }) => path);
  const changes = changesBetween(before, after);
  const known = new Set(changes.map(({ path }) => path));
  const all: TreeChange[] = isCoarse
    ? [...changes, ...rewritten.filter((path) => !known.has(path)).map((path) => ({ path, change: 'changed' as const }))]
    : changes;
  const written = all.filter(({ change }) => change !== 'deleted').map(({ path }) => path);
  const isOutput = outputMatcher(run, phase);
  const others = all.filter(({ path, change }) => change === 'deleted' || !isOutput(path));
  const said = new Map(claimed.filter(({ type }) => type === 'file_write').map((one) => [one.target, one]));
  const undeclared = others.filter(({ path }) => !said.has(path));
  return {
    artifacts: written.flatMap((path) => artifactOf(declared.get(path))),
    sideEffects: others
      .slice(0, mostTold)
      .map(({ path, change }) => said.get(path) ?? { type: 'file_write', target: path, reversible: false, description: change }),
    warnings: [
      ...undeclared
        .slice(0, mostTold)
        .map(({ path, change }) => ({ code: 'undeclared_write', message: `${path} was ${change}, and is no output of ${phase.name}` })),
      ...(undeclared.length > mostTold ? [{ code: 'undeclared_write', message: `and ${undeclared.length - mostTold} more` }] : []),
      ...(isCoarse ? [{ code: 'coarse_scan', message: 'there are too many files to look at each; git was asked' }] : []),
    ],
    touched: written,
  };
}

function artifactOf(file: FoundFile | undefined): Artifact[] {
  if (file?.kind !== 'file') return [];
  const { path, size, sha256, completeness } = file;
  return [
    {
      ...{ type: 'file', path, content_type: contentTypeOf(path), size_bytes: size, checksum: sha256 },
      metadata: completeness ? { completeness: completeness.completeness } : {},
    },
  ];
}

/** By the pattern, and not by the files that were looked at: of very many only some are. */
function outputMatcher(run: Run, phase: Phase): (path: string) => boolean {
  const vars = varsOf(run, phase.name);
  const paths = phase.outputs.map((spec) => expand(spec.path, vars));
  const exact = new Set(paths.filter((path) => !isGlob(path)));
  const patterns = paths.filter(isGlob).map(globMatcher);
  return (path) => exact.has(path) || patterns.some((fits) => fits(path));
}

/** Gate 3: what the phase was to make, and what its author asks for beside that. */
export async function outputsOf(run: Run, phase: Phase, touched: Set<string>): Promise<Judged[]> {
  const vars = varsOf(run, phase.name);
  return [
    ...outputChecks(
      phase.outputs.map((spec) => run.lookout.find(spec, vars)),
      touched,
    ),
    ...(await namedChecks(run, phase, phase.gates.output.checks)),
  ];
}

/** Gate 3: what the skill printed. */
export function primaryChecks({ schemas }: Run, { gates }: Phase, primary: unknown): Judged[] {
  const id = gates.output.primarySchema;
  if (id === undefined) return [];
  const schema = schemas.json(id);
  // What nobody can check has not been checked.
  return [primaryCheck(schema ? schemas.check(schema, primary) : [`has a schema ${JSON.stringify(id)} that is none of data`])];
}

/** What a phase had to make, and how much of it is there now: what an assessment asks for. */
export function requiredOutputs(run: Run, phase: Phase): { path: string; schema: string | null; completeness: number }[] {
  const vars = varsOf(run, phase.name);
  return phase.outputs
    .filter(({ required }) => required)
    .map((spec) => run.lookout.find(spec, vars))
    .map((found) => ({ path: found.spec.path, schema: found.spec.schema, completeness: fulfilment(found) }));
}
