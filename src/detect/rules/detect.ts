import { defined } from '#lib/collections.ts';
import type { Hint, ProjectContext, ProjectPart, ProjectType, Testing } from '../model/project-context.ts';
import { detectDotnet } from './dotnet.ts';
import { openDir, type ProjectDir, type ProjectFacts } from './facts.ts';
import { detectGo } from './go.ts';
import { isIgnoredFolder } from './ignored-folders.ts';
import { detectJava } from './java.ts';
import { countFiles, countLanguages, listLanguages } from './languages.ts';
import { detectNode } from './node.ts';
import { type DetectedPart, isShortLine } from './part.ts';
import { detectPhp } from './php.ts';
import { createProjectHints, findRunnerTarget } from './project-hints.ts';
import { detectPython } from './python.ts';
import { detectRuby } from './ruby.ts';
import { detectRust } from './rust.ts';

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
  const countFilesBelow = (folder: string): number => {
    const size = sizes.get(folder) ?? facts.files.filter((path) => path.startsWith(`${folder}/`)).length;
    sizes.set(folder, size);
    return size;
  };
  const parts = findParts(facts, root).sort(
    (a, b) =>
      countFilesOf(b.type) - countFilesOf(a.type) ||
      countLevels(a.folder) - countLevels(b.folder) ||
      countFilesBelow(b.folder) - countFilesBelow(a.folder),
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
  return defined({
    type: isMixed ? ('mixed' as const) : (main[0] ?? ('unknown' as const)),
    languages: listLanguages(counts),
    packageManager: first?.packageManager,
    testing: testing && toTesting(testing, isRunner ? '' : (first?.folder ?? '')),
    parts: parts.slice(0, maxParts).map(toProjectPart),
    monorepo: toMonorepo(parts),
    llmHints: collectHints(root, leading),
  });
}

const countLevels = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);

/** Finds parts at the root and in folders below it. A part that has a test command or a workspace covers all folders below it of the
 *  same ecosystem. */
function findParts(facts: ProjectFacts, root: ProjectDir): LocatedPart[] {
  const found: LocatedPart[] = [];
  for (const folder of listPartFolders(facts.files)) {
    const remaining = detectors.filter(
      ([type]) => !found.some((part) => part.type === type && contains(part, folder) && (part.test || part.workspace)),
    );
    if (remaining.length === 0) continue;
    const dir = folder === '' ? root : openDir(facts, folder);
    for (const [type, detect] of remaining) {
      const part = detect(dir);
      if (part) found.push({ type, folder, ...resolvePaths(part, dir) });
    }
  }
  return found;
}

const manifestPattern =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|requirements(?:-dev)?\.txt|manage\.py|Cargo\.toml|go\.(?:mod|work)|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|[^/]+\.(?:slnx?|csproj|fsproj|vbproj|gemspec)|global\.json|Gemfile|gems\.rb|composer\.json)$/;
const maxCandidates = 100;

/** Lists folders with a manifest, which may be parts of their own; the root comes first. */
function listPartFolders(files: readonly string[]): string[] {
  const marked = files.map((path) => path.split('/')).filter((parts) => parts.length <= 3 && manifestPattern.test(parts.at(-1)!));
  const found = new Set(['', ...marked.map((parts) => parts.slice(0, -1).join('/'))]);
  return [...found]
    .filter((folder) => folder === '' || !isIgnoredFolder(folder))
    .sort((a, b) => countLevels(a) - countLevels(b) || (a < b ? -1 : 1))
    .slice(0, maxCandidates);
}

const contains = (part: LocatedPart, folder: string): boolean => part.folder === '' || folder.startsWith(`${part.folder}/`);

/** A part whose paths are relative to the project root. */
interface LocatedPart extends DetectedPart {
  type: ProjectType;
  folder: string;
}

function resolvePaths({ from, packageManager, test, workspace, hints }: DetectedPart, dir: ProjectDir): DetectedPart {
  const resolve = <T extends { from: string }>(item: T): T => ({ ...item, from: dir.toPath(item.from) });
  return {
    from: dir.toPath(from),
    packageManager: dir.has(packageManager.from) ? resolve(packageManager) : packageManager,
    test: test && resolve(test),
    workspace: workspace && {
      tools: workspace.tools.map(resolve),
      packages: workspace.packages.map((each) => ({ ...each, folder: dir.toPath(each.folder) || '.' })),
    },
    hints: hints.map(resolve),
  };
}

const toTesting = ({ framework, command, from }: NonNullable<DetectedPart['test']>, folder: string): Testing =>
  defined({ framework, command, folder: folder || undefined, from });

const toProjectPart = ({ type, folder, from, packageManager, test }: LocatedPart): ProjectPart =>
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
function collectHints(root: ProjectDir, parts: LocatedPart[]): Hint[] {
  const all = [
    ...parts
      .slice(0, 6)
      .flatMap(({ folder, hints }) => hints.map((hint) => (folder === '' ? hint : { ...hint, text: `in ${folder}: ${hint.text}` }))),
    ...createProjectHints(root),
  ];
  const seen = new Set<string>();
  return all.filter(({ about, text }) => !seen.has(`${about} ${text}`) && seen.add(`${about} ${text}`)).slice(0, 40);
}
