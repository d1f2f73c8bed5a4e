import type { SourcedName } from '../model/project-context.ts';
import { type ProjectDir, readJsonFile, readKeys } from './facts.ts';
import { isTestByName } from './ignored-folders.ts';
import { addFlag, formatExec, formatRun, getScripts, isRunnable, listPackageDependencies, type NodeManager } from './node-scripts.ts';
import { type DetectedPart, matchFirst, type TestCommand } from './part.ts';

const scriptFrameworks: [RegExp, string][] = [
  [/\bvitest\b/, 'vitest'],
  [/\bjest\b|react-scripts test|vue-cli-service test:unit/, 'jest'],
  [/\bmocha\b/, 'mocha'],
  [/\bava\b/, 'ava'],
  [/\bbun test\b/, 'bun test'],
  [/\b(?:node|tsx|ts-node)\b[^&|;]*\s--test\b/, 'node:test'],
  [/\bng test\b|\bkarma\b/, 'karma'],
  [/\bjasmine\b/, 'jasmine'],
  [/\btap\b/, 'tap'],
  [/\btape\b/, 'tape'],
  [/\buvu\b/, 'uvu'],
  [/\bqunit\b/, 'qunit'],
  [/\bweb-test-runner\b|\bwtr\b/, 'web-test-runner'],
  [/\bplaywright\b/, 'playwright'],
  [/\bcypress\b/, 'cypress'],
];
const packageFrameworks: [RegExp, string][] = [
  [/^vitest$/, 'vitest'],
  [/^(?:jest|ts-jest|jest-cli|@jest\/globals|react-scripts|jest-expo)$/, 'jest'],
  [/^mocha$/, 'mocha'],
  [/^ava$/, 'ava'],
  [/^karma$/, 'karma'],
  [/^jasmine$/, 'jasmine'],
  [/^tap$/, 'tap'],
  [/^tape$/, 'tape'],
  [/^uvu$/, 'uvu'],
  [/^qunit$/, 'qunit'],
  [/^@web\/test-runner$/, 'web-test-runner'],
  [/^@playwright\/test$/, 'playwright'],
  [/^cypress$/, 'cypress'],
];
const configFrameworks: [RegExp, string][] = [
  [/^vitest\.(?:config|workspace)\.[cm]?[jt]s$/, 'vitest'],
  [/^jest\.config\.(?:[cm]?[jt]s|json)$/, 'jest'],
  [/^\.mocharc\.(?:[cm]?js|json|ya?ml)$/, 'mocha'],
  [/^ava\.config\.[cm]?js$/, 'ava'],
  [/^karma\.conf\.[cm]?[jt]s$/, 'karma'],
  [/^playwright\.config\.[cm]?[jt]s$/, 'playwright'],
  [/^cypress\.config\.[cm]?[jt]s$/, 'cypress'],
];

/** Finds the test framework by the test script, the dependencies, the configuration files, or the scripts of the workspace members. */
function findFramework(dir: ProjectDir, manifest: unknown, members: unknown[]): { name: string; from: string } | undefined {
  const from = dir.toPath('package.json');
  const installed = packageFrameworks
    .filter(([pattern]) => listPackageDependencies(manifest).some((name) => pattern.test(name)))
    .map(([, name]) => name);
  const called = matchFirst(expandScript(getScripts(manifest), 'test'), scriptFrameworks) ?? installed[0];
  if (called) return { name: called, from };
  for (const [pattern, name] of configFrameworks) {
    const config = dir.files.find((path) => pattern.test(path));
    if (config) return { name, from: dir.toPath(config) };
  }
  const inner = members.flatMap((member) => matchFirst(getScripts(member).test ?? '', scriptFrameworks) ?? []);
  const mostUsed = inner.toSorted((a, b) => inner.filter((name) => name === b).length - inner.filter((name) => name === a).length)[0];
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
export function findNodeTest(
  dir: ProjectDir,
  manifest: Record<string, unknown>,
  manager: NodeManager,
  workspace: DetectedPart['workspace'],
  members: unknown[],
): TestCommand | undefined {
  const scripts = getScripts(manifest);
  const framework = findFramework(dir, manifest, members);
  const from = dir.toPath('package.json');
  if (isRunnable(scripts.test)) return { framework: framework?.name, command: formatTestRun(manager, scripts), from, isDeclared: true };
  const hasMemberTests = members.some((member) => isRunnable(getScripts(member).test));
  const workspaceTest = workspace && findWorkspaceTest(dir, manager, workspace.tools, hasMemberTests);
  if (workspaceTest) return { framework: framework?.name, ...workspaceTest };
  const other = ['test:unit', 'test:run', 'test:ci', 'tests', 'unit'].find((name) => isRunnable(scripts[name]));
  if (other)
    return {
      framework: matchFirst(expandScript(scripts, other), scriptFrameworks) ?? framework?.name,
      command: formatRun(manager, other),
      from,
      isDeclared: true,
    };
  return findDefaultTest(dir, manager, framework);
}

/** Formats a test run that ends: some runners watch for changes by default in a terminal. */
function formatTestRun(manager: NodeManager, scripts: Record<string, string>): string {
  const script = scripts.test ?? '';
  const command = formatRun(manager, 'test');
  const isWatching = /--watch(?:All)?\b(?!=false)|\bvitest (?:watch|dev)\b/.test(script);
  const flag =
    /\bvitest(?! run| related| bench| typecheck| list)(?![\w./-])[^&|;]*$/.test(script) && !/--run\b|--watch=false|--no-watch/.test(script)
      ? '--run'
      : /\breact-scripts test\b[^&|;]*$/.test(script) && !/--watchAll=false/.test(script)
        ? '--watchAll=false'
        : /\bng test\b[^&|;]*$/.test(script) && !/--(?:no-)?watch/.test(script)
          ? '--watch=false'
          : undefined;
  if (!flag && !isWatching) return command;
  const finite = ['test:run', 'test:ci', 'test:once'].find(
    (name) => isRunnable(scripts[name]) && !/--watch(?:All)?\b(?!=false)/.test(scripts[name] ?? ''),
  );
  if (finite) return formatRun(manager, finite);
  if (!isWatching && flag) return addFlag(manager, command, flag);
  const runner = matchFirst(script, scriptFrameworks);
  const direct = runner && Object.hasOwn(frameworkCommands, runner) ? frameworkCommands[runner] : undefined;
  return direct ? formatExec(manager, direct) : command;
}

const frameworkCommands: Record<string, string> = {
  vitest: 'vitest run',
  jest: 'jest',
  mocha: 'mocha',
  ava: 'ava',
  tap: 'tap',
  uvu: 'uvu',
  playwright: 'playwright test',
  jasmine: 'jasmine',
};

/** Without a script: the command of the framework, or the built-in runner if there are test files. */
function findDefaultTest(dir: ProjectDir, manager: NodeManager, framework: SourcedName | undefined): TestCommand | undefined {
  if (framework && Object.hasOwn(frameworkCommands, framework.name))
    return { framework: framework.name, command: formatExec(manager, frameworkCommands[framework.name]!), from: framework.from };
  const sample = dir.files.find((path) => isTestByName(path) && /\.[cm]?[jt]sx?$/.test(path));
  if (!sample) return undefined;
  if (manager === 'bun') return { framework: 'bun test', command: 'bun test', from: dir.toPath(sample) };
  return /\.[cm]?js$/.test(sample) ? { framework: 'node:test', command: 'node --test', from: dir.toPath(sample) } : undefined;
}

/** Runs the tests of every package, with the monorepo tool or the package manager. */
function findWorkspaceTest(
  dir: ProjectDir,
  manager: NodeManager,
  tools: SourcedName[],
  hasMemberTests: boolean,
): Omit<TestCommand, 'framework'> | undefined {
  const tool = (name: string): SourcedName | undefined => tools.find((each) => each.name === name);
  const turbo = tool('turbo');
  if (turbo && ['tasks', 'pipeline'].some((key) => readKeys(dir, 'turbo.json', key).includes('test')))
    return { command: formatExec(manager, 'turbo run test'), from: turbo.from, isDeclared: true };
  const nx = tool('nx');
  if (nx) return { command: formatExec(manager, 'nx run-many -t test'), from: nx.from };
  if (!hasMemberTests) return undefined;
  const lerna = tool('lerna');
  if (lerna) return { command: formatExec(manager, 'lerna run test'), from: lerna.from };
  const isOldYarn =
    manager === 'yarn' && !dir.has('.yarnrc.yml') && !/^yarn@[2-9]/.test(String(readJsonFile(dir, 'package.json').packageManager));
  const command = {
    npm: 'npm test --workspaces --if-present',
    pnpm: 'pnpm -r test',
    yarn: isOldYarn ? 'yarn workspaces run test' : 'yarn workspaces foreach -A run test',
    bun: "bun run --filter '*' test",
  }[manager];
  return { command, from: tools[0]!.from };
}
