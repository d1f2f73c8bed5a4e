import type { Hint } from '../model/project-context.ts';
import { jsonIn, type Place, tomlIn } from './facts.ts';
import { hints } from './part.ts';
import { runnerTarget } from './runner.ts';
import { isAside, isTestByName, testFolderOf } from './sidelines.ts';

/** What holds for the whole of a project, whatever it is built with. */
export function habits(place: Place): Hint[] {
  return [...folders(place), ...commits(place), ...texts(place), ...tasks(place)];
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

function folders(place: Place): Hint[] {
  const tops = new Set(place.files.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))));
  const source = sources.filter((name) => tops.has(name));
  const inFolders = new Map<string, number>();
  let beside = 0;
  for (const path of place.files.filter(isTestByName)) {
    const folder = testFolderOf(path);
    if (folder === undefined) beside += 1;
    else inFolders.set(folder, (inFolders.get(folder) ?? 0) + 1);
  }
  const most = [...inFolders]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, 3)
    .map(([name]) => name);
  const apart = [...inFolders.values()].reduce((sum, n) => sum + n, 0);
  const where = beside > apart ? 'beside the source' : most.length > 0 ? `in ${most.join(', ')}` : undefined;
  return [
    ...(source.length > 0 ? hints(place, source[0]!, { source: source.slice(0, 6).join(', ') }) : []),
    ...(where
      ? hints(place, beside > apart ? place.files.find((path) => isTestByName(path) && !testFolderOf(path))! : most[0]!, {
          tests: `Tests lie ${where}`,
        })
      : []),
  ];
}

function commits(place: Place): Hint[] {
  const sign =
    place.files.find((path) =>
      /^(?:\.?commitlint(?:rc)?(?:\.config)?(?:\.[cm]?[jt]s|\.json|\.ya?ml)?|\.czrc|\.cz\.(?:toml|json|yaml)|cz\.(?:toml|json|yaml)|release-please-config\.json|\.releaserc(?:\.\w+)?|\.versionrc(?:\.\w+)?)$/.test(
        path,
      ),
    ) ??
    (jsonIn(place, 'package.json').commitlint ? 'package.json' : undefined) ??
    ((tomlIn(place, 'pyproject.toml').tool as Record<string, unknown> | undefined)?.commitizen ? 'pyproject.toml' : undefined);
  return [
    ...(sign ? hints(place, sign, { commits: 'Conventional Commits: feat: …, fix: …' }) : []),
    ...(place.has('.changeset/config.json')
      ? hints(place, '.changeset/config.json', { changes: 'A change comes with a changeset in .changeset' })
      : []),
    ...(place.has('.pre-commit-config.yaml') ? hints(place, '.pre-commit-config.yaml', { lint: 'pre-commit run --all-files' }) : []),
  ];
}

function texts(place: Place): Hint[] {
  return ['AGENTS.md', 'CONTRIBUTING.md', '.github/CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap((name) =>
    place.has(name) ? hints(place, name, { read: name }) : [],
  );
}

/** What the project's own task runner offers; its tests are told elsewhere. */
function tasks(place: Place): Hint[] {
  return (['build', 'lint', 'format'] as const).flatMap((about) => {
    const found = runnerTarget(place, about) ?? (about === 'format' ? runnerTarget(place, 'fmt') : undefined);
    return found ? [{ about, text: found.command, from: found.from }] : [];
  });
}

const marks =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|requirements(?:-dev)?\.txt|manage\.py|Cargo\.toml|go\.(?:mod|work)|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|[^/]+\.(?:slnx?|csproj|fsproj|vbproj|gemspec)|global\.json|Gemfile|gems\.rb|composer\.json)$/;
const mostCandidates = 100;

/** Folders that may be parts of their own, the root first: those with a file that says what they are. */
export function candidates(files: readonly string[]): string[] {
  const marked = files.map((path) => path.split('/')).filter((parts) => parts.length <= 3 && marks.test(parts.at(-1)!));
  const found = new Set(['', ...marked.map((parts) => parts.slice(0, -1).join('/'))]);
  return [...found]
    .filter((folder) => folder === '' || !isAside(folder))
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
    .slice(0, mostCandidates);
}

const depth = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);
