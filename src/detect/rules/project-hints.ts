import type { Hint } from '../model/project-context.ts';
import { type ProjectDir, readJsonFile, readTomlFile } from './facts.ts';
import { findTestFolder, isIgnoredFolder, isTestByName } from './ignored-folders.ts';
import { createHints } from './part.ts';
import { findRunnerTarget } from './task-runners.ts';

/** Creates hints that do not depend on an ecosystem. */
export function createProjectHints(dir: ProjectDir): Hint[] {
  return [...createFolderHints(dir), ...createCommitHints(dir), ...createReadingHints(dir), ...createRunnerHints(dir)];
}

const sources = [
  'src',
  'lib',
  'app',
  'apps',
  'packages',
  'crates',
  'cmd',
  'internal',
  'pkg',
  'server',
  'client',
  'backend',
  'frontend',
  'web',
  'api',
  'services',
];

function createFolderHints(dir: ProjectDir): Hint[] {
  const tops = new Set(dir.files.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))));
  const source = sources.filter((name) => tops.has(name));
  const countByFolder = new Map<string, number>();
  let nextToSource = 0;
  for (const path of dir.files.filter(isTestByName)) {
    const folder = findTestFolder(path);
    if (folder === undefined) nextToSource += 1;
    else countByFolder.set(folder, (countByFolder.get(folder) ?? 0) + 1);
  }
  const testFolders = [...countByFolder]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, 3)
    .map(([name]) => name);
  const inFolders = [...countByFolder.values()].reduce((sum, n) => sum + n, 0);
  const where = nextToSource > inFolders ? 'next to the source' : testFolders.length > 0 ? `in ${testFolders.join(', ')}` : undefined;
  return [
    ...(source.length > 0 ? createHints(dir, source[0]!, { source: source.slice(0, 6).join(', ') }) : []),
    ...(where
      ? createHints(
          dir,
          nextToSource > inFolders ? dir.files.find((path) => isTestByName(path) && !findTestFolder(path))! : testFolders[0]!,
          {
            tests: `Tests are ${where}`,
          },
        )
      : []),
  ];
}

function createCommitHints(dir: ProjectDir): Hint[] {
  const config =
    dir.files.find((path) =>
      /^(?:\.?commitlint(?:rc)?(?:\.config)?(?:\.[cm]?[jt]s|\.json|\.ya?ml)?|\.czrc|\.cz\.(?:toml|json|yaml)|cz\.(?:toml|json|yaml)|release-please-config\.json|\.releaserc(?:\.\w+)?|\.versionrc(?:\.\w+)?)$/.test(
        path,
      ),
    ) ??
    (readJsonFile(dir, 'package.json').commitlint ? 'package.json' : undefined) ??
    ((readTomlFile(dir, 'pyproject.toml').tool as Record<string, unknown> | undefined)?.commitizen ? 'pyproject.toml' : undefined);
  return [
    ...(config ? createHints(dir, config, { commits: 'Conventional Commits: feat: …, fix: …' }) : []),
    ...(dir.has('.changeset/config.json')
      ? createHints(dir, '.changeset/config.json', { changes: 'Add a changeset in .changeset with each change' })
      : []),
    ...(dir.has('.pre-commit-config.yaml') ? createHints(dir, '.pre-commit-config.yaml', { lint: 'pre-commit run --all-files' }) : []),
  ];
}

function createReadingHints(dir: ProjectDir): Hint[] {
  return ['AGENTS.md', 'CONTRIBUTING.md', '.github/CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap((name) =>
    dir.has(name) ? createHints(dir, name, { read: name }) : [],
  );
}

/** Targets of a task runner, except tests: `detectProject` handles those. */
function createRunnerHints(dir: ProjectDir): Hint[] {
  return (['build', 'lint', 'format'] as const).flatMap((about) => {
    const found = findRunnerTarget(dir, about) ?? (about === 'format' ? findRunnerTarget(dir, 'fmt') : undefined);
    return found ? [{ about, text: found.command, from: found.from }] : [];
  });
}

const manifestPattern =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|requirements(?:-dev)?\.txt|manage\.py|Cargo\.toml|go\.(?:mod|work)|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|[^/]+\.(?:slnx?|csproj|fsproj|vbproj|gemspec)|global\.json|Gemfile|gems\.rb|composer\.json)$/;
const maxCandidates = 100;

/** Lists folders with a manifest, which may be parts of their own; the root comes first. */
export function listPartFolders(files: readonly string[]): string[] {
  const marked = files.map((path) => path.split('/')).filter((parts) => parts.length <= 3 && manifestPattern.test(parts.at(-1)!));
  const found = new Set(['', ...marked.map((parts) => parts.slice(0, -1).join('/'))]);
  return [...found]
    .filter((folder) => folder === '' || !isIgnoredFolder(folder))
    .sort((a, b) => countLevels(a) - countLevels(b) || (a < b ? -1 : 1))
    .slice(0, maxCandidates);
}

const countLevels = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);
