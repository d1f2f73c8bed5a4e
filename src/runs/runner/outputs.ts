import { contentTypeOf } from '#lib/content-type.ts';
import { globMatcher, isGlob } from '#lib/glob.ts';
import type { Phase } from '../model/construct.ts';
import type { Artifact, SideEffect, Warning } from '../model/execution.ts';
import type { FoundFile } from '../model/found.ts';
import type { TreeChange } from '../model/tree.ts';
import { expand } from '../rules/construct/variables.ts';
import type { Judged } from '../rules/gate/gate.ts';
import { fulfilment, outputChecks, primaryCheck } from '../rules/gate/output.ts';
import { changesBetween } from '../rules/tree-changes.ts';
import type { OwnTree } from '../rules/tree-shares.ts';
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
  own: OwnTree;
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

/** What changed in the tree: what the phase was to make, and everything else. What another skill, beside it, may have written as well is
 *  told, and nobody is blamed for it. */
export function touchedBy(run: Run, phase: Phase, { own, outputs, claimed }: TreeFacts): TreeOutcome {
  const isCoarse = own.before.isCoarse || own.after.isCoarse;
  const isBlind = own.before.isBlind || own.after.isBlind;
  const declared = new Map(declaredFiles(run, phase).map((file) => [file.path, file]));
  const rewritten = [...declared.values()].filter(({ path, sha256 }) => outputs.get(path) !== sha256).map(({ path }) => path);
  const changes = changesBetween(own.before, own.after);
  const known = new Set(changes.map(({ path }) => path));
  const all: TreeChange[] = isCoarse
    ? [...changes, ...rewritten.filter((path) => !known.has(path)).map((path) => ({ path, change: 'changed' as const }))]
    : changes;
  const written = all.filter(({ change }) => change !== 'deleted').map(({ path }) => path);
  const isOutput = outputMatcher(run, phase);
  const others = all.filter(({ path, change }) => (change === 'deleted' || !isOutput(path)) && !own.isAnothers(path));
  const said = new Map(claimed.filter(({ type }) => type === 'file_write').map((one) => [one.target, one]));
  const undeclared = others.filter(({ path }) => !said.has(path));
  return {
    artifacts: written.filter((path) => !own.isAnothers(path)).flatMap((path) => artifactOf(declared.get(path), own.others(path))),
    sideEffects: others.slice(0, mostTold).map(
      ({ path, change }) =>
        said.get(path) ?? {
          ...{ type: 'file_write', target: path, reversible: false },
          description: [change, ...own.others(path).map((other) => `perhaps by ${other}`)].join(', '),
        },
    ),
    warnings: [
      ...undeclared.slice(0, mostTold).map((one) => undeclaredWrite(one, phase, own.others(one.path))),
      ...(undeclared.length > mostTold ? [{ code: 'undeclared_write', message: `and ${undeclared.length - mostTold} more` }] : []),
      ...(isCoarse
        ? [
            {
              code: 'coarse_scan',
              message: `there are too many files to look at each; ${isBlind ? 'without git nothing is known but the outputs' : 'git was asked'}`,
            },
          ]
        : []),
    ],
    touched: written,
  };
}

function undeclaredWrite({ path, change }: TreeChange, { name }: Phase, others: string[]): Warning {
  const message = `${path} was ${change}, and is no output of ${name}`;
  if (others.length === 0) return { code: 'undeclared_write', message };
  return { code: 'unattributed_write', message: `${message}; ${others.join(' and ')} ran beside it: whose it is cannot be told` };
}

function artifactOf(file: FoundFile | undefined, others: string[]): Artifact[] {
  if (file?.kind !== 'file') return [];
  const { path, size, sha256, completeness } = file;
  return [
    {
      ...{ type: 'file', path, content_type: contentTypeOf(path), size_bytes: size, checksum: sha256 },
      metadata: {
        ...(completeness ? { completeness: completeness.completeness } : {}),
        ...(others.length > 0 ? { shared_with: others } : {}),
      },
    },
  ];
}

/** Who else may have written it, where that cannot be told. */
export const sharedIn = ({ shared_with }: Artifact['metadata']): { shared_with?: string[] } =>
  shared_with === undefined ? {} : { shared_with: shared_with as string[] };

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
