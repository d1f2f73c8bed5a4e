import { defined } from '#lib/defined.ts';
import type { Hint, ProjectContext, ProjectPart, ProjectType, Testing } from '../model/project-context.ts';
import { detectDotnet } from './dotnet.ts';
import { openDir, type ProjectDir, type ProjectFacts } from './facts.ts';
import { detectGo } from './go.ts';
import { detectJava } from './java.ts';
import { countFiles, countLanguages, listLanguages } from './languages.ts';
import { detectNode } from './node.ts';
import { type DetectedPart, isShortLine } from './part.ts';
import { detectPhp } from './php.ts';
import { createProjectHints, listPartFolders } from './project-hints.ts';
import { detectPython } from './python.ts';
import { detectRuby } from './ruby.ts';
import { detectRust } from './rust.ts';
import { findRunnerTarget } from './task-runners.ts';

const detectors: [ProjectType, (dir: ProjectDir) => DetectedPart | undefined][] = [
  ['node', detectNode],
  ['python', detectPython],
  ['rust', detectRust],
  ['go', detectGo],
  ['java', detectJava],
  ['dotnet', detectDotnet],
  ['ruby', detectRuby],
  ['php', detectPhp],
];
/** An ecosystem with a smaller share of the files is only a tool of the project. */
const minShare = 0.15;
const maxParts = 20;
const maxPackages = 50;

/** Detects the ecosystems of a project from its file names and manifests. Nothing is run, and unknown values are left out.
 *
 *  A declared test command takes precedence over the usual one. In a mixed project, only a task runner (make, just, task) can cover all
 *  ecosystems, so its target takes precedence over the script of one of them. */
export function detectProject(input: ProjectFacts): ProjectContext {
  const facts = { ...input, files: input.files.filter(isShortLine), above: input.above.filter(isShortLine) };
  const root = openDir(facts, '');
  const counts = countLanguages(facts.files);
  const countFilesOf = (type: ProjectType): number => countFiles(type, counts);
  const sizes = new Map<string, number>();
  const countFilesBelow = ({ folder }: DetectedPart): number => {
    const size = sizes.get(folder) ?? facts.files.filter((path) => path.startsWith(`${folder}/`)).length;
    sizes.set(folder, size);
    return size;
  };
  const parts = findParts(facts, root).sort(
    (a, b) => countFilesOf(b.type) - countFilesOf(a.type) || countLevels(a) - countLevels(b) || countFilesBelow(b) - countFilesBelow(a),
  );
  const types = [...new Set(parts.map(({ type }) => type))];
  const total = types.reduce((sum, type) => sum + countFilesOf(type), 0);
  const main = types.filter((type) => total === 0 || countFilesOf(type) >= total * minShare);
  const leading = parts.filter(({ type }) => main.includes(type));
  const runner = findRunnerTarget(root, 'test');
  const first = leading.find(({ test }) => test) ?? leading[0];
  const isMixed = main.length > 1;
  const testing =
    runner && (isMixed || !first?.test?.isDeclared) ? { ...runner, framework: isMixed ? undefined : first?.test?.framework } : first?.test;
  const isRunner = testing !== undefined && testing !== first?.test;
  const type: ProjectContext['type'] = isMixed ? 'mixed' : (main[0] ?? 'unknown');
  return defined({
    type,
    languages: listLanguages(counts),
    packageManager: first?.packageManager,
    testing: testing && toTesting(testing, isRunner ? '' : (first?.folder ?? '')),
    parts: parts.slice(0, maxParts).map(toProjectPart),
    monorepo: toMonorepo(parts),
    llmHints: collectHints(root, leading),
  });
}

const countLevels = ({ folder }: DetectedPart): number => (folder === '' ? 0 : folder.split('/').length);

/** Finds parts at the root and in folders below it. A part that has a test command or a workspace covers all folders below it of the
 *  same ecosystem. */
function findParts(facts: ProjectFacts, root: ProjectDir): DetectedPart[] {
  const found: DetectedPart[] = [];
  for (const folder of listPartFolders(facts.files)) {
    const remaining = detectors.filter(
      ([type]) => !found.some((part) => part.type === type && contains(part, folder) && (part.test || part.workspace)),
    );
    if (remaining.length === 0) continue;
    const dir = folder === '' ? root : openDir(facts, folder);
    for (const [, detect] of remaining) {
      const part = detect(dir);
      if (part) found.push(part);
    }
  }
  return found;
}

const contains = (part: DetectedPart, folder: string): boolean => part.folder === '' || folder.startsWith(`${part.folder}/`);

const toTesting = ({ framework, command, from }: NonNullable<DetectedPart['test']>, folder: string): Testing =>
  defined({ framework, command, folder: folder || undefined, from });

const toProjectPart = ({ type, folder, from, packageManager, test }: DetectedPart): ProjectPart =>
  defined({ type, folder: folder || undefined, from, packageManager, testing: test && toTesting(test, folder) });

function toMonorepo(parts: DetectedPart[]): ProjectContext['monorepo'] {
  const workspaces = parts.flatMap(({ workspace }) => workspace ?? []);
  const packages = workspaces
    .flatMap((workspace) => workspace.packages)
    .map(({ folder, name }) => ({ folder, ...(name && isShortLine(name) ? { name } : {}) }));
  const tools = workspaces.flatMap((workspace) => workspace.tools);
  if (tools.length === 0) return undefined;
  const more = packages.length - maxPackages;
  return { tools, packages: packages.slice(0, maxPackages), ...(more > 0 ? { more } : {}) };
}

/** Removes duplicates, and names the folder in hints that hold only there. */
function collectHints(root: ProjectDir, parts: DetectedPart[]): Hint[] {
  const all = [
    ...parts
      .slice(0, 6)
      .flatMap(({ folder, hints }) => hints.map((hint) => (folder === '' ? hint : { ...hint, text: `in ${folder}: ${hint.text}` }))),
    ...createProjectHints(root),
  ];
  const seen = new Set<string>();
  return all.filter(({ about, text }) => !seen.has(`${about} ${text}`) && seen.add(`${about} ${text}`)).slice(0, 40);
}
