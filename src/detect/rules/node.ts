import type { SourcedName } from '../model/project-context.ts';
import { getAtPath, type ProjectDir, readJsonFile, readYamlFile, toStrings, toTable } from './facts.ts';
import { findNodeTest, findScript, formatExec, formatRun, type NodeManager, type NodePackage } from './node-test.ts';
import { createHints, type DetectedPart, type HintTexts, matchWorkspaceFolders, toPackage } from './part.ts';

const managers = ['npm', 'pnpm', 'yarn', 'bun'] as const;
const lockFiles: [string, NodeManager][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-workspace.yaml', 'pnpm'],
  ['.yarnrc.yml', 'yarn'],
  ['bunfig.toml', 'bun'],
];

export function detectNode(dir: ProjectDir): DetectedPart | undefined {
  const from = 'package.json';
  if (!dir.has(from)) return undefined;
  const manifest = readJsonFile(dir, from);
  const packageManager = findManager(dir, manifest);
  const manager = packageManager.name as NodeManager;
  const workspace = findWorkspace(dir, manifest, manager);
  const project: NodePackage = {
    dir,
    manifest,
    scripts: getScripts(manifest),
    dependencies: ['devDependencies', 'dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) =>
      Object.keys(toTable(manifest[key])),
    ),
    manager,
    workspace,
    memberTests: (workspace?.packages ?? []).flatMap(({ folder }) => getScripts(readJsonFile(dir, `${folder}/${from}`)).test ?? []),
  };
  const hints = createHints(from, listCommands(project, packageManager.from));
  return { from, packageManager, test: findNodeTest(project), workspace, hints };
}

const getScripts = ({ scripts }: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(toTable(scripts)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** Takes the manager from the manifest, else from a lock file in the folder, at the root or above it. */
function findManager(dir: ProjectDir, manifest: Record<string, unknown>): SourcedName {
  const value = [manifest.packageManager, getAtPath(manifest, 'devEngines', 'packageManager', 'name')].find(
    (name) => typeof name === 'string',
  );
  const declared = managers.find((name) => name === (value as string | undefined)?.split('@')[0]);
  if (declared) return { name: declared, from: 'package.json' };
  const lock = lockFiles.find(([file]) => dir.has(file)) ?? lockFiles.find(([file]) => dir.facts.files.includes(file));
  if (lock) return { name: lock[1], from: lock[0] };
  const above = dir.facts.above.find((path) => lockFiles.some(([file]) => path.endsWith(`/${file}`)));
  if (above) return { name: lockFiles.find(([file]) => above.endsWith(`/${file}`))![1], from: above };
  return { name: 'npm', from: 'package.json' };
}

function findWorkspace(dir: ProjectDir, manifest: Record<string, unknown>, manager: NodeManager): DetectedPart['workspace'] {
  const own =
    toStrings(manifest.workspaces).length > 0 ? toStrings(manifest.workspaces) : toStrings(getAtPath(manifest, 'workspaces', 'packages'));
  const pnpm = toStrings(readYamlFile(dir, 'pnpm-workspace.yaml').packages);
  const lerna = toStrings(readJsonFile(dir, 'lerna.json').packages);
  const tools: SourcedName[] = [
    ...(pnpm.length > 0
      ? [{ name: 'pnpm workspaces', from: 'pnpm-workspace.yaml' }]
      : own.length > 0
        ? [{ name: `${manager} workspaces`, from: 'package.json' }]
        : []),
    ...['turbo', 'nx', 'lerna'].flatMap((name) => (dir.has(`${name}.json`) ? [{ name, from: `${name}.json` }] : [])),
  ];
  const folders = [...new Set([...dir.foldersWith('package.json'), ...dir.foldersWith('project.json')])];
  const patterns = [...own, ...pnpm, ...lerna];
  // Nx needs no list: every folder with a project.json is a project.
  const nx = dir.has('nx.json') ? folders.filter((folder) => dir.has(`${folder}/project.json`)) : [];
  const members = [...new Set([...matchWorkspaceFolders(folders, patterns), ...nx])];
  if (tools.length === 0 || (tools.every(({ name }) => name === 'turbo') && members.length === 0)) return undefined;
  return {
    tools,
    packages: members.map((folder) => toPackage(folder, readJsonFile(dir, `${folder}/package.json`).name)),
  };
}

function listCommands({ dir, manifest, scripts, dependencies, manager }: NodePackage, lock: string): HintTexts {
  const run = (...names: string[]): string | undefined => {
    const script = findScript(scripts, ...names);
    return script && formatRun(manager, script);
  };
  const isTyped = dir.has('tsconfig.json') && dependencies.includes('typescript');
  const engine = getAtPath(manifest, 'engines', 'node');
  const hasBrowser = dependencies.includes('@playwright/test') && scripts.test && !/playwright/.test(scripts.test);
  const install = { npm: 'npm ci', pnpm: 'pnpm install --frozen-lockfile', yarn: 'yarn install', bun: 'bun install --frozen-lockfile' };
  return {
    install: lock.endsWith('package.json') ? `${manager} install` : install[manager],
    build: run('build', 'compile'),
    lint: run('lint', 'check'),
    typecheck:
      run('typecheck', 'type-check', 'check-types', 'types', 'types:check', 'tsc', 'check:types') ??
      (isTyped && formatExec(manager, 'tsc --noEmit')),
    format: run('format', 'fmt', 'prettier'),
    e2e: run('test:e2e', 'e2e', 'test:integration', 'playwright') ?? (hasBrowser && formatExec(manager, 'playwright test')),
    runtime: typeof engine === 'string' && engine && `Node ${engine}`,
  };
}
