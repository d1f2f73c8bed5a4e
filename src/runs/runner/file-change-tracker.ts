import { getContentType } from '#lib/content-type.ts';
import { defined } from '#lib/defined.ts';
import { createGlobMatcher, isGlob } from '#lib/glob.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { ArtifactFile } from '../model/artifact.ts';
import type { ArtifactSpec, PhaseSpec } from '../model/construct.ts';
import type { Artifact, SideEffect, Warning } from '../model/execution.ts';
import type { TreeChange, TreeSnapshot } from '../model/tree.ts';
import { type AttributedChanges, createAttribution, diffSnapshots, endSkill, startSkill } from '../rules/attribute-changes.ts';
import { expandVariables } from '../rules/construct/names.ts';
import { getVars, type RunContext } from './run-context.ts';

/** Scans the tree before and after each skill of a phase and attributes changes to skills, which may run in parallel. */
export interface FileChangeTracker {
  start(skill: string): Promise<void>;
  /** `claimed`: files that the skill says it wrote. */
  end(skill: string, claimed: string[]): Promise<AttributedChanges>;
}

export function createFileChangeTracker(platform: RunnerPlatform): FileChangeTracker {
  const attribution = createAttribution();
  // Scans run one after the other, because a scan of a large tree is asynchronous.
  let queue: Promise<unknown> = Promise.resolve();
  const scan = <T>(use: (now: TreeSnapshot) => T): Promise<T> => {
    const done = queue.then(async () => use(await platform.scanTree()));
    queue = done.catch(() => undefined);
    return done;
  };
  return {
    start: (skill) => scan((now) => startSkill(attribution, skill, now)),
    end: (skill, claimed) => scan((now) => endSkill(attribution, skill, now, claimed)),
  };
}

export interface FileChanges {
  artifacts: Artifact[];
  sideEffects: SideEffect[];
  warnings: Warning[];
  /** Paths of all files that were created or changed. */
  written: string[];
}

/** More undeclared writes than this are only counted. */
const maxReportedWrites = 50;

/** Hashes of the existing outputs of a phase. In a tree with too many files to scan they show which outputs changed. */
export const hashOutputs = (run: RunContext, phase: PhaseSpec): Map<string, string> =>
  new Map(findOutputFiles(run, phase).map(({ path, sha256 }) => [path, sha256]));

const findOutputFiles = (run: RunContext, phase: PhaseSpec): ArtifactFile[] =>
  listDeclaredOutputs(run, phase).flatMap((spec) => run.artifacts.find(spec, getVars(run, phase.name)).files);

/** The outputs of a phase and the artifacts that it hands off, required or optional: writing them is declared. */
const listDeclaredOutputs = ({ request }: RunContext, { name, outputs }: PhaseSpec): ArtifactSpec[] => [
  ...outputs,
  ...request.construct.handoffs
    .filter(({ from }) => from === name)
    .flatMap(({ required, optional }) => [...required, ...optional])
    .filter(({ path }) => outputs.every((output) => output.path !== path)),
];

/** Sorts the changes of an execution into artifacts and side effects. A file that a parallel skill may have written too is reported with
 *  the names of these skills. `hashesBefore` are the outputs before the execution, `claimed` the side effects that the skill reported. */
export function classifyChanges(
  run: RunContext,
  phase: PhaseSpec,
  own: AttributedChanges,
  hashesBefore: Map<string, string>,
  claimed: SideEffect[],
): FileChanges {
  const outputs = new Map(findOutputFiles(run, phase).map((file) => [file.path, file]));
  const changes = listChanges(own, [...outputs.values()], hashesBefore);
  const written = changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path);
  const isOutput = createOutputMatcher(run, phase);
  const others = changes.filter(({ path, change }) => (change === 'deleted' || !isOutput(path)) && !own.isClaimedByOther(path));
  const declared = new Map(claimed.filter(({ type }) => type === 'file_write').map((effect) => [effect.target, effect]));
  const undeclared = others.filter(({ path }) => !declared.has(path));
  return {
    artifacts: written.filter((path) => !own.isClaimedByOther(path)).flatMap((path) => toArtifact(outputs.get(path), own.others(path))),
    sideEffects: others.slice(0, maxReportedWrites).map(
      ({ path, change }) =>
        declared.get(path) ?? {
          type: 'file_write',
          target: path,
          reversible: false,
          description: [change, ...own.others(path).map((other) => `perhaps by ${other}`)].join(', '),
        },
    ),
    warnings: [
      ...undeclared.slice(0, maxReportedWrites).map((change) => warnUndeclared(change, phase, own.others(change.path))),
      ...(undeclared.length > maxReportedWrites
        ? [{ code: 'undeclared_write', message: `and ${undeclared.length - maxReportedWrites} more` }]
        : []),
      ...(isCoarse(own) ? [{ code: 'coarse_scan', message: describeCoarseScan(own) }] : []),
    ],
    written,
  };
}

const isCoarse = ({ before, after }: AttributedChanges): boolean => before.isCoarse || after.isCoarse;

const describeCoarseScan = ({ before, after }: AttributedChanges): string =>
  `the project has too many files to scan; ${
    before.isUnknown || after.isUnknown ? 'without git only changes of outputs are known' : 'changes are those that git reports'
  }`;

/** The changes between the snapshots. Coarse snapshots miss changes of ignored files, so rewritten outputs are added. */
function listChanges(own: AttributedChanges, outputs: ArtifactFile[], hashesBefore: Map<string, string>): TreeChange[] {
  const changes = diffSnapshots(own.before, own.after);
  if (!isCoarse(own)) return changes;
  const known = new Set(changes.map(({ path }) => path));
  const rewritten = outputs.filter(({ path, sha256 }) => hashesBefore.get(path) !== sha256 && !known.has(path));
  return [...changes, ...rewritten.map(({ path }) => ({ path, change: 'changed' as const }))];
}

function warnUndeclared({ path, change }: TreeChange, { name }: PhaseSpec, others: string[]): Warning {
  const message = `${path} was ${change}, but is not an output of ${name}`;
  if (others.length === 0) return { code: 'undeclared_write', message, path };
  return { code: 'unattributed_write', message: `${message}; it may be by ${others.join(' or ')}, which ran at the same time` };
}

function toArtifact(file: ArtifactFile | undefined, others: string[]): Artifact[] {
  if (file?.kind !== 'file') return [];
  const { path, size, sha256, completeness } = file;
  return [
    {
      type: 'file',
      path,
      content_type: getContentType(path),
      size_bytes: size,
      checksum: sha256,
      metadata: { ...defined({ completeness: completeness?.completeness }), ...(others.length > 0 ? { shared_with: others } : {}) },
    },
  ];
}

/** The skills that may have written an artifact too. */
export const pickSharedWith = ({ shared_with }: Artifact['metadata']): { shared_with?: string[] } =>
  shared_with === undefined ? {} : { shared_with: shared_with as string[] };

/** Matches paths by the patterns of the outputs. The list of found files is not enough, because it is cut at a limit. */
function createOutputMatcher(run: RunContext, phase: PhaseSpec): (path: string) => boolean {
  const vars = getVars(run, phase.name);
  const paths = listDeclaredOutputs(run, phase).map((spec) => expandVariables(spec.path, vars));
  const exact = new Set(paths.filter((path) => !isGlob(path)));
  const matchers = paths.filter(isGlob).map(createGlobMatcher);
  return (path) => exact.has(path) || matchers.some((matches) => matches(path));
}
