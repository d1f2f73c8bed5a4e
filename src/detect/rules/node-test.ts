import type { Named } from '../model/project-context.ts';
import { jsonIn, keysIn, type Place } from './facts.ts';
import { dependenciesOf, execute, isReal, type Manager, runScript, scriptsOf, withFlag } from './node-scripts.ts';
import { namedIn, type Part, type Test } from './part.ts';
import { isTestByName } from './sidelines.ts';

const frameworks: [RegExp, string][] = [
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
const packages: [RegExp, string][] = [
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
const configs: [RegExp, string][] = [
  [/^vitest\.(?:config|workspace)\.[cm]?[jt]s$/, 'vitest'],
  [/^jest\.config\.(?:[cm]?[jt]s|json)$/, 'jest'],
  [/^\.mocharc\.(?:[cm]?js|json|ya?ml)$/, 'mocha'],
  [/^ava\.config\.[cm]?js$/, 'ava'],
  [/^karma\.conf\.[cm]?[jt]s$/, 'karma'],
  [/^playwright\.config\.[cm]?[jt]s$/, 'playwright'],
  [/^cypress\.config\.[cm]?[jt]s$/, 'cypress'],
];

/** What runs the tests in the end: by the script and those it calls, then by packages, then by settings, then by what the members use. */
function frameworkOf(place: Place, manifest: unknown, members: unknown[]): { name: string; from: string } | undefined {
  const from = place.at('package.json');
  const known = packages.filter(([pattern]) => dependenciesOf(manifest).some((name) => pattern.test(name))).map(([, name]) => name);
  const called = namedIn(scriptText(scriptsOf(manifest), 'test'), frameworks) ?? known[0];
  if (called) return { name: called, from };
  for (const [pattern, name] of configs) {
    const config = place.files.find((path) => pattern.test(path));
    if (config) return { name, from: place.at(config) };
  }
  const inner = members.flatMap((member) => namedIn(scriptsOf(member).test ?? '', frameworks) ?? []);
  const most = inner.toSorted((a, b) => inner.filter((name) => name === b).length - inner.filter((name) => name === a).length)[0];
  return most ? { name: most, from } : undefined;
}

/** A script, with those that it runs put behind it. */
function scriptText(scripts: Record<string, string>, name: string, depth = 0): string {
  const own = (Object.hasOwn(scripts, name) ? scripts[name] : undefined) ?? '';
  if (depth > 3) return own;
  const called = [
    ...own
      .slice(0, 2000)
      .matchAll(/\b(?:npm|pnpm|yarn|bun)(?: run| -s| --silent)* ([\w:.-]+)|\b(?:run-s|run-p|npm-run-all)((?: [\w:.*-]+)+)/g),
  ]
    .flatMap(([, one, several]) => (one ? [one] : (several ?? '').trim().split(' ')))
    .filter((script) => script !== name && Object.hasOwn(scripts, script))
    .slice(0, 10);
  return [own, ...called.map((script) => scriptText(scripts, script, depth + 1))].join('\n');
}

/** How a package is tested: by its script, by what knows all of its members, by a script of another name, or as such a thing usually is. */
export function nodeTest(
  place: Place,
  manifest: Record<string, unknown>,
  manager: Manager,
  workspace: Part['workspace'],
  members: unknown[],
): Test | undefined {
  const scripts = scriptsOf(manifest);
  const framework = frameworkOf(place, manifest, members);
  const from = place.at('package.json');
  if (isReal(scripts.test)) return { framework: framework?.name, command: once(manager, scripts), from, isDeclared: true };
  const isTested = members.some((member) => isReal(scriptsOf(member).test));
  const whole = workspace && acrossMembers(place, manager, workspace.tools, isTested);
  if (whole) return { framework: framework?.name, ...whole };
  const other = ['test:unit', 'test:run', 'test:ci', 'tests', 'unit'].find((name) => isReal(scripts[name]));
  if (other)
    return {
      framework: namedIn(scriptText(scripts, other), frameworks) ?? framework?.name,
      command: runScript(manager, other),
      from,
      isDeclared: true,
    };
  return byItself(place, manager, framework);
}

/** The script, in a form that ends: several runners stay and watch where they believe somebody is looking. */
function once(manager: Manager, scripts: Record<string, string>): string {
  const script = scripts.test ?? '';
  const command = runScript(manager, 'test');
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
    (name) => isReal(scripts[name]) && !/--watch(?:All)?\b(?!=false)/.test(scripts[name] ?? ''),
  );
  if (finite) return runScript(manager, finite);
  if (!isWatching && flag) return withFlag(manager, command, flag);
  const runner = namedIn(script, frameworks);
  const direct = runner && Object.hasOwn(commands, runner) ? commands[runner] : undefined;
  return direct ? execute(manager, direct) : command;
}

const commands: Record<string, string> = {
  vitest: 'vitest run',
  jest: 'jest',
  mocha: 'mocha',
  ava: 'ava',
  tap: 'tap',
  uvu: 'uvu',
  playwright: 'playwright test',
  jasmine: 'jasmine',
};

/** Without a script: the framework as it is run by hand, or the runner that is there anyway, where there is something to run. */
function byItself(place: Place, manager: Manager, framework: Named | undefined): Test | undefined {
  if (framework && Object.hasOwn(commands, framework.name))
    return { framework: framework.name, command: execute(manager, commands[framework.name]!), from: framework.from };
  const sample = place.files.find((path) => isTestByName(path) && /\.[cm]?[jt]sx?$/.test(path));
  if (!sample) return undefined;
  if (manager === 'bun') return { framework: 'bun test', command: 'bun test', from: place.at(sample) };
  return /\.[cm]?js$/.test(sample) ? { framework: 'node:test', command: 'node --test', from: place.at(sample) } : undefined;
}

/** The tests of every package: by the tool that knows them, else by the package manager. */
function acrossMembers(place: Place, manager: Manager, tools: Named[], isTested: boolean): Omit<Test, 'framework'> | undefined {
  const tool = (name: string): Named | undefined => tools.find((each) => each.name === name);
  const turbo = tool('turbo');
  if (turbo && ['tasks', 'pipeline'].some((key) => keysIn(place, 'turbo.json', key).includes('test')))
    return { command: execute(manager, 'turbo run test'), from: turbo.from, isDeclared: true };
  const nx = tool('nx');
  if (nx) return { command: execute(manager, 'nx run-many -t test'), from: nx.from };
  if (!isTested) return undefined;
  const lerna = tool('lerna');
  if (lerna) return { command: execute(manager, 'lerna run test'), from: lerna.from };
  const isOldYarn =
    manager === 'yarn' && !place.has('.yarnrc.yml') && !/^yarn@[2-9]/.test(String(jsonIn(place, 'package.json').packageManager));
  const command = {
    npm: 'npm test --workspaces --if-present',
    pnpm: 'pnpm -r test',
    yarn: isOldYarn ? 'yarn workspaces run test' : 'yarn workspaces foreach -A run test',
    bun: "bun run --filter '*' test",
  }[manager];
  return { command, from: tools[0]!.from };
}
