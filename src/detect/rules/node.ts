import type { Hint, Named } from '../model/project-context.ts';
import { dig, jsonIn, type Place, readJson, texts, yamlIn } from './facts.ts';
import { matching } from './glob.ts';
import { dependenciesOf, execute, isReal, type Manager, runScript, scriptsOf } from './node-scripts.ts';
import { nodeTest } from './node-test.ts';
import { hints, type Part } from './part.ts';

const managers = ['npm', 'pnpm', 'yarn', 'bun'] as const;
const locks: [string, Manager][] = [
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

export function nodePart(place: Place): Part | undefined {
  if (!place.has('package.json')) return undefined;
  const manifest = jsonIn(place, 'package.json');
  const manager = managerOf(place, manifest);
  const name = manager.name as Manager;
  const workspace = workspaceOf(place, manifest, name);
  const members = (workspace?.packages ?? []).map(({ folder }) => readJson(place.facts.texts.get(`${folder}/package.json`)));
  const test = nodeTest(place, manifest, name, workspace, members);
  return {
    type: 'node',
    folder: place.folder,
    from: place.at('package.json'),
    packageManager: manager,
    ...(test ? { test } : {}),
    ...(workspace ? { workspace } : {}),
    hints: hintsOf(place, manifest, name, manager.from),
  };
}

/** What the manifest says, else whose lock file is there, here or where it belongs to. */
function managerOf(place: Place, manifest: Record<string, unknown>): Named {
  const said = [manifest.packageManager, dig(manifest, 'devEngines', 'packageManager', 'name')].find((value) => typeof value === 'string');
  const declared = managers.find((name) => name === (said as string | undefined)?.split('@')[0]);
  if (declared) return { name: declared, from: place.at('package.json') };
  const ctx = locks.find(([file]) => place.has(file));
  if (ctx) return { name: ctx[1], from: place.at(ctx[0]) };
  const upper = place.folder === '' ? undefined : locks.find(([file]) => place.facts.files.includes(file));
  if (upper) return { name: upper[1], from: upper[0] };
  const above = place.facts.above.find((path) => locks.some(([file]) => path.endsWith(`/${file}`)));
  if (above) return { name: locks.find(([file]) => above.endsWith(`/${file}`))![1], from: above };
  return { name: 'npm', from: place.at('package.json') };
}

function workspaceOf(place: Place, manifest: Record<string, unknown>, manager: Manager): Part['workspace'] {
  const own = texts(manifest.workspaces).length > 0 ? texts(manifest.workspaces) : texts(dig(manifest, 'workspaces', 'packages'));
  const pnpm = place.has('pnpm-workspace.yaml') ? texts(yamlIn(place, 'pnpm-workspace.yaml').packages) : [];
  const lerna = place.has('lerna.json') ? texts(jsonIn(place, 'lerna.json').packages) : [];
  const tools: Named[] = [
    ...(pnpm.length > 0
      ? [{ name: 'pnpm workspaces', from: place.at('pnpm-workspace.yaml') }]
      : own.length > 0
        ? [{ name: `${manager} workspaces`, from: place.at('package.json') }]
        : []),
    ...['turbo', 'nx', 'lerna'].flatMap((name) => (place.has(`${name}.json`) ? [{ name, from: place.at(`${name}.json`) }] : [])),
  ];
  const folders = [...new Set([...place.foldersWith('package.json'), ...place.foldersWith('project.json')])];
  const patterns = [...own, ...pnpm, ...lerna];
  // Nx takes every folder with a project.json for a project, and needs no list.
  const nx = place.has('nx.json') ? folders.filter((folder) => place.has(`${folder}/project.json`)) : [];
  const found = [...new Set([...matching(folders, patterns), ...nx])];
  if (tools.length === 0 || (tools.every(({ name }) => name === 'turbo') && found.length === 0)) return undefined;
  return {
    tools,
    packages: found.map((folder) => {
      const name = jsonIn(place, `${folder}/package.json`).name;
      return { folder: place.at(folder), ...(typeof name === 'string' && name ? { name } : {}) };
    }),
  };
}

const named = (scripts: Record<string, string>, ...names: string[]): string | undefined => names.find((name) => isReal(scripts[name]));

function hintsOf(place: Place, manifest: Record<string, unknown>, manager: Manager, lock: string): Hint[] {
  const scripts = scriptsOf(manifest);
  const run = (script: string | undefined): string | undefined => script && runScript(manager, script);
  const typecheck = run(named(scripts, 'typecheck', 'type-check', 'check-types', 'types', 'types:check', 'tsc', 'check:types'));
  const isTyped = place.has('tsconfig.json') && dependenciesOf(manifest).includes('typescript');
  const engine = dig(manifest, 'engines', 'node');
  const e2e = run(named(scripts, 'test:e2e', 'e2e', 'test:integration', 'playwright'));
  const hasBrowser = dependenciesOf(manifest).includes('@playwright/test');
  const install = { npm: 'npm ci', pnpm: 'pnpm install --frozen-lockfile', yarn: 'yarn install', bun: 'bun install --frozen-lockfile' }[
    manager
  ];
  return [
    ...hints(place, 'package.json', {
      install: lock.endsWith('package.json') ? `${manager} install` : install,
      build: run(named(scripts, 'build', 'compile')),
      lint: run(named(scripts, 'lint', 'check')),
      typecheck: typecheck ?? (isTyped ? execute(manager, 'tsc --noEmit') : undefined),
      format: run(named(scripts, 'format', 'fmt', 'prettier')),
      e2e: e2e ?? (hasBrowser && scripts.test && !/playwright/.test(scripts.test) ? execute(manager, 'playwright test') : undefined),
      runtime: typeof engine === 'string' && engine ? `Node ${engine}` : undefined,
    }),
  ];
}
