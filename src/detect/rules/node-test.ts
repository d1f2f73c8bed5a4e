import type { SourcedName } from '../model/project-context.ts';
import { type ProjectDir, readKeys } from './facts.ts';
import { isTestByName } from './ignored-folders.ts';
import type { DetectedPart, TestCommand } from './part.ts';

export type NodeManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface NodePackage {
  dir: ProjectDir;
  manifest: Record<string, unknown>;
  scripts: Record<string, string>;
  dependencies: string[];
  manager: NodeManager;
  workspace: DetectedPart['workspace'];
  /** The test scripts of the workspace members. */
  memberTests: string[];
}

/** Formats the command that runs a program from the project's dependencies. */
export const formatExec = (manager: NodeManager, command: string): string =>
  `${{ npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' }[manager]} ${command}`;

/** `bun test` is Bun's own test runner, not the script. */
export const formatRun = (manager: NodeManager, script: string): string =>
  script === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${script}`;

/** False for the placeholder of `npm init` and for scripts without effect. */
const isRunnable = (script: string | undefined): script is string =>
  script !== undefined && script.trim() !== '' && !/no test specified|^\s*(?:exit 0|true|echo\b[^&|;]*)\s*$/.test(script);

export const findScript = (scripts: Record<string, string>, ...names: string[]): string | undefined =>
  names.find((name) => isRunnable(scripts[name]));

interface NodeFramework {
  /** Matches a script that runs it; default: one with its name. */
  script?: RegExp;
  /** Packages that contain it; default: one with its name. */
  packages?: string[];
  config?: RegExp;
  /** Runs all tests once. */
  command?: string;
}

/** Test frameworks; the first that matches wins. */
const frameworks: Record<string, NodeFramework> = {
  vitest: { config: /^vitest\.(?:config|workspace)\.[cm]?[jt]s$/, command: 'vitest run' },
  jest: {
    script: /\bjest\b|react-scripts test|vue-cli-service test:unit/,
    packages: ['jest', 'ts-jest', 'jest-cli', '@jest/globals', 'react-scripts', 'jest-expo'],
    config: /^jest\.config\.(?:[cm]?[jt]s|json)$/,
    command: 'jest',
  },
  mocha: { config: /^\.mocharc\.(?:[cm]?js|json|ya?ml)$/, command: 'mocha' },
  ava: { config: /^ava\.config\.[cm]?js$/, command: 'ava' },
  'bun test': {},
  'node:test': { script: /\b(?:node|tsx|ts-node)\b[^&|;]*\s--test\b/ },
  karma: { script: /\bng test\b|\bkarma\b/, config: /^karma\.conf\.[cm]?[jt]s$/ },
  jasmine: { command: 'jasmine' },
  tap: { command: 'tap' },
  tape: {},
  uvu: { command: 'uvu' },
  qunit: {},
  'web-test-runner': { script: /\bweb-test-runner\b|\bwtr\b/, packages: ['@web/test-runner'] },
  playwright: { packages: ['@playwright/test'], config: /^playwright\.config\.[cm]?[jt]s$/, command: 'playwright test' },
  cypress: { config: /^cypress\.config\.[cm]?[jt]s$/ },
};

const findFrameworkName = (matches: (framework: NodeFramework, name: string) => boolean): string | undefined =>
  Object.entries(frameworks).find(([name, framework]) => matches(framework, name))?.[0];

const matchScript = (text: string): string | undefined =>
  findFrameworkName(({ script }, name) => (script ?? new RegExp(`\\b${name}\\b`)).test(text));

/** Finds the test framework by the test script, the dependencies, the configuration files, or the scripts of the workspace members. */
function findFramework({ dir, scripts, dependencies, memberTests }: NodePackage): SourcedName | undefined {
  const from = 'package.json';
  const called =
    matchScript(expandScript(scripts, 'test')) ??
    findFrameworkName(({ packages }, name) => (packages ?? [name]).some((each) => dependencies.includes(each)));
  if (called) return { name: called, from };
  for (const [name, { config }] of Object.entries(frameworks)) {
    const file = config && dir.files.find((path) => config.test(path));
    if (file) return { name, from: file };
  }
  const inner = memberTests.flatMap((script) => matchScript(script) ?? []);
  const count = (name: string): number => inner.filter((other) => other === name).length;
  const mostUsed = inner.toSorted((a, b) => count(b) - count(a))[0];
  return mostUsed ? { name: mostUsed, from } : undefined;
}

/** Returns a script followed by the scripts that it runs. */
function expandScript(scripts: Record<string, string>, name: string, depth = 0): string {
  const own = (Object.hasOwn(scripts, name) ? scripts[name] : undefined) ?? '';
  if (depth > 3) return own;
  const called = [
    ...own
      .slice(0, 2000)
      .matchAll(/\b(?:npm|pnpm|yarn|bun)(?: run| -s| --silent)* ([\w:.-]+)|\b(?:run-s|run-p|npm-run-all)((?: [\w:.*-]+)+)/g),
  ]
    .flatMap(([, single, several]) => (single ? [single] : (several ?? '').trim().split(' ')))
    .filter((script) => script !== name && Object.hasOwn(scripts, script))
    .slice(0, 10);
  return [own, ...called.map((script) => expandScript(scripts, script, depth + 1))].join('\n');
}

/** Finds the test command: the test script, a command for all workspace members, another script, or the usual command. */
export function findNodeTest(project: NodePackage): TestCommand | undefined {
  const { scripts, manager } = project;
  const framework = findFramework(project);
  const declared = { framework: framework?.name, from: 'package.json', isDeclared: true as const };
  if (isRunnable(scripts.test)) return { ...declared, command: formatTestRun(manager, scripts) };
  const workspaceTest = findWorkspaceTest(project);
  if (workspaceTest) return { framework: framework?.name, ...workspaceTest };
  const other = findScript(scripts, 'test:unit', 'test:run', 'test:ci', 'tests', 'unit');
  if (!other) return findDefaultTest(project, framework);
  return { ...declared, framework: matchScript(expandScript(scripts, other)) ?? framework?.name, command: formatRun(manager, other) };
}

/** Runners that watch for changes by default in a terminal, and the flag that makes them end. */
const watchingRunners: { script: RegExp; unless: RegExp; flag: string }[] = [
  {
    script: /\bvitest(?! run| related| bench| typecheck| list)(?![\w./-])[^&|;]*$/,
    unless: /--run\b|--watch=false|--no-watch/,
    flag: '--run',
  },
  { script: /\breact-scripts test\b[^&|;]*$/, unless: /--watchAll=false/, flag: '--watchAll=false' },
  { script: /\bng test\b[^&|;]*$/, unless: /--(?:no-)?watch/, flag: '--watch=false' },
];
const watchFlag = /--watch(?:All)?\b(?!=false)/;

/** Formats a test run that ends. */
function formatTestRun(manager: NodeManager, scripts: Record<string, string>): string {
  const test = scripts.test ?? '';
  const command = formatRun(manager, 'test');
  const isWatching = watchFlag.test(test) || /\bvitest (?:watch|dev)\b/.test(test);
  const flag = watchingRunners.find(({ script, unless }) => script.test(test) && !unless.test(test))?.flag;
  if (!flag && !isWatching) return command;
  const finite = ['test:run', 'test:ci', 'test:once'].find((name) => isRunnable(scripts[name]) && !watchFlag.test(scripts[name]));
  if (finite) return formatRun(manager, finite);
  if (!isWatching) return `${command}${manager === 'npm' ? ' --' : ''} ${flag}`;
  const direct = frameworks[matchScript(test) ?? '']?.command;
  return direct ? formatExec(manager, direct) : command;
}

/** Without a script: the command of the framework, or the built-in runner if there are test files. */
function findDefaultTest({ dir, manager }: NodePackage, framework: SourcedName | undefined): TestCommand | undefined {
  const command = framework && frameworks[framework.name]?.command;
  if (command) return { framework: framework.name, command: formatExec(manager, command), from: framework.from };
  const from = dir.files.find((path) => isTestByName(path) && /\.[cm]?[jt]sx?$/.test(path));
  if (!from) return undefined;
  if (manager === 'bun') return { framework: 'bun test', command: 'bun test', from };
  return /\.[cm]?js$/.test(from) ? { framework: 'node:test', command: 'node --test', from } : undefined;
}

/** Runs the tests of every package, with the monorepo tool or the package manager. */
function findWorkspaceTest({ dir, manifest, manager, workspace, memberTests }: NodePackage): TestCommand | undefined {
  if (!workspace) return undefined;
  const findTool = (name: string): SourcedName | undefined => workspace.tools.find((tool) => tool.name === name);
  const turbo = findTool('turbo');
  if (turbo && ['tasks', 'pipeline'].some((key) => readKeys(dir, 'turbo.json', key).includes('test')))
    return { command: formatExec(manager, 'turbo run test'), from: turbo.from, isDeclared: true };
  const nx = findTool('nx');
  if (nx) return { command: formatExec(manager, 'nx run-many -t test'), from: nx.from };
  if (!memberTests.some(isRunnable)) return undefined;
  const lerna = findTool('lerna');
  if (lerna) return { command: formatExec(manager, 'lerna run test'), from: lerna.from };
  const isOldYarn = manager === 'yarn' && !dir.has('.yarnrc.yml') && !/^yarn@[2-9]/.test(String(manifest.packageManager));
  const command = {
    npm: 'npm test --workspaces --if-present',
    pnpm: 'pnpm -r test',
    yarn: isOldYarn ? 'yarn workspaces run test' : 'yarn workspaces foreach -A run test',
    bun: "bun run --filter '*' test",
  }[manager];
  return { command, from: workspace.tools[0]!.from };
}
