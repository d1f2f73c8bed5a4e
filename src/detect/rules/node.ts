import type { Hint, SourcedName } from '../model/project-context.ts';
import { getAtPath, type ProjectDir, parseJsonTable, readJsonFile, readYamlFile, toStrings } from './facts.ts';
import { formatExec, formatRun, getScripts, isRunnable, listPackageDependencies, type NodeManager } from './node-scripts.ts';
import { findNodeTest } from './node-test.ts';
import { createHints, type DetectedPart, toPackage } from './part.ts';
import { matchWorkspaceFolders } from './workspace-folders.ts';

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
  if (!dir.has('package.json')) return undefined;
  const manifest = readJsonFile(dir, 'package.json');
  const manager = findManager(dir, manifest);
  const name = manager.name as NodeManager;
  const workspace = findWorkspace(dir, manifest, name);
  const members = (workspace?.packages ?? []).map(({ folder }) => parseJsonTable(dir.facts.texts.get(`${folder}/package.json`)));
  return {
    type: 'node',
    folder: dir.path,
    from: dir.toPath('package.json'),
    packageManager: manager,
    test: findNodeTest(dir, manifest, name, workspace, members),
    workspace,
    hints: listHints(dir, manifest, name, manager.from),
  };
}

/** Takes the manager from the manifest, else from a lock file in the folder, at the root or above it. */
function findManager(dir: ProjectDir, manifest: Record<string, unknown>): SourcedName {
  const value = [manifest.packageManager, getAtPath(manifest, 'devEngines', 'packageManager', 'name')].find(
    (name) => typeof name === 'string',
  );
  const declared = managers.find((name) => name === (value as string | undefined)?.split('@')[0]);
  if (declared) return { name: declared, from: dir.toPath('package.json') };
  const own = lockFiles.find(([file]) => dir.has(file));
  if (own) return { name: own[1], from: dir.toPath(own[0]) };
  const upper = dir.path === '' ? undefined : lockFiles.find(([file]) => dir.facts.files.includes(file));
  if (upper) return { name: upper[1], from: upper[0] };
  const above = dir.facts.above.find((path) => lockFiles.some(([file]) => path.endsWith(`/${file}`)));
  if (above) return { name: lockFiles.find(([file]) => above.endsWith(`/${file}`))![1], from: above };
  return { name: 'npm', from: dir.toPath('package.json') };
}

function findWorkspace(dir: ProjectDir, manifest: Record<string, unknown>, manager: NodeManager): DetectedPart['workspace'] {
  const own =
    toStrings(manifest.workspaces).length > 0 ? toStrings(manifest.workspaces) : toStrings(getAtPath(manifest, 'workspaces', 'packages'));
  const pnpm = dir.has('pnpm-workspace.yaml') ? toStrings(readYamlFile(dir, 'pnpm-workspace.yaml').packages) : [];
  const lerna = dir.has('lerna.json') ? toStrings(readJsonFile(dir, 'lerna.json').packages) : [];
  const tools: SourcedName[] = [
    ...(pnpm.length > 0
      ? [{ name: 'pnpm workspaces', from: dir.toPath('pnpm-workspace.yaml') }]
      : own.length > 0
        ? [{ name: `${manager} workspaces`, from: dir.toPath('package.json') }]
        : []),
    ...['turbo', 'nx', 'lerna'].flatMap((name) => (dir.has(`${name}.json`) ? [{ name, from: dir.toPath(`${name}.json`) }] : [])),
  ];
  const folders = [...new Set([...dir.foldersWith('package.json'), ...dir.foldersWith('project.json')])];
  const patterns = [...own, ...pnpm, ...lerna];
  // Nx needs no list: every folder with a project.json is a project.
  const nx = dir.has('nx.json') ? folders.filter((folder) => dir.has(`${folder}/project.json`)) : [];
  const members = [...new Set([...matchWorkspaceFolders(folders, patterns), ...nx])];
  if (tools.length === 0 || (tools.every(({ name }) => name === 'turbo') && members.length === 0)) return undefined;
  return {
    tools,
    packages: members.map((folder) => toPackage(dir, folder, readJsonFile(dir, `${folder}/package.json`).name)),
  };
}

const findScript = (scripts: Record<string, string>, ...names: string[]): string | undefined =>
  names.find((name) => isRunnable(scripts[name]));

function listHints(dir: ProjectDir, manifest: Record<string, unknown>, manager: NodeManager, lock: string): Hint[] {
  const scripts = getScripts(manifest);
  const run = (script: string | undefined): string | undefined => script && formatRun(manager, script);
  const typecheck = run(findScript(scripts, 'typecheck', 'type-check', 'check-types', 'types', 'types:check', 'tsc', 'check:types'));
  const isTyped = dir.has('tsconfig.json') && listPackageDependencies(manifest).includes('typescript');
  const engine = getAtPath(manifest, 'engines', 'node');
  const e2e = run(findScript(scripts, 'test:e2e', 'e2e', 'test:integration', 'playwright'));
  const hasBrowser = listPackageDependencies(manifest).includes('@playwright/test');
  const install = { npm: 'npm ci', pnpm: 'pnpm install --frozen-lockfile', yarn: 'yarn install', bun: 'bun install --frozen-lockfile' }[
    manager
  ];
  return [
    ...createHints(dir, 'package.json', {
      install: lock.endsWith('package.json') ? `${manager} install` : install,
      build: run(findScript(scripts, 'build', 'compile')),
      lint: run(findScript(scripts, 'lint', 'check')),
      typecheck: typecheck ?? (isTyped ? formatExec(manager, 'tsc --noEmit') : undefined),
      format: run(findScript(scripts, 'format', 'fmt', 'prettier')),
      e2e: e2e ?? (hasBrowser && scripts.test && !/playwright/.test(scripts.test) ? formatExec(manager, 'playwright test') : undefined),
      runtime: typeof engine === 'string' && engine ? `Node ${engine}` : undefined,
    }),
  ];
}
