import { groupBy } from '#lib/collections.ts';
import type { Hint } from '../model/project-context.ts';
import { getAtPath, type ProjectDir, readJsonFile, readTomlFile, readYamlFile } from './facts.ts';
import { findTestFolder, isTestByName } from './ignored-folders.ts';
import { createHints, type TestCommand } from './part.ts';

/** Creates hints that do not depend on an ecosystem. */
export function createProjectHints(dir: ProjectDir): Hint[] {
  const readable = ['AGENTS.md', 'CONTRIBUTING.md', '.github/CONTRIBUTING.md', 'ARCHITECTURE.md'].filter(dir.has);
  return [
    ...createFolderHints(dir),
    ...createCommitHints(dir),
    ...readable.flatMap((read) => createHints(read, { read })),
    ...createRunnerHints(dir),
  ];
}

const sources = 'src lib app apps packages crates cmd internal pkg server client backend frontend web api services'.split(' ');

function createFolderHints(dir: ProjectDir): Hint[] {
  const tops = new Set(dir.files.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))));
  const source = sources.filter((name) => tops.has(name));
  const tests = groupBy(dir.files.filter(isTestByName), (path) => findTestFolder(path) ?? '');
  const nextToSource = tests.get('') ?? [];
  tests.delete('');
  const folders = [...tests]
    .sort(([a, inA], [b, inB]) => inB.length - inA.length || (a < b ? -1 : 1))
    .slice(0, 3)
    .map(([name]) => name);
  return [
    ...createHints(source[0], { source: source.slice(0, 6).join(', ') }),
    ...(nextToSource.length > [...tests.values()].flat().length
      ? createHints(nextToSource[0], { tests: 'Tests are next to the source' })
      : createHints(folders[0], { tests: `Tests are in ${folders.join(', ')}` })),
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
    (getAtPath(readTomlFile(dir, 'pyproject.toml'), 'tool', 'commitizen') ? 'pyproject.toml' : undefined);
  return [
    ...createHints(config, { commits: 'Conventional Commits: feat: …, fix: …' }),
    ...createHints(dir.findFirst('.changeset/config.json'), { changes: 'Add a changeset in .changeset with each change' }),
    ...createHints(dir.findFirst('.pre-commit-config.yaml'), { lint: 'pre-commit run --all-files' }),
  ];
}

/** Targets of a task runner, except tests: `detectProject` handles those. */
function createRunnerHints(dir: ProjectDir): Hint[] {
  return (['build', 'lint', 'format'] as const).flatMap((about) => {
    const found = findRunnerTarget(dir, about) ?? (about === 'format' ? findRunnerTarget(dir, 'fmt') : undefined);
    return found ? [{ about, text: found.command, from: found.from }] : [];
  });
}

/** Finds a target of a task runner that is not tied to a language: make, just or task. */
export function findRunnerTarget(dir: ProjectDir, name: string): TestCommand | undefined {
  const make = dir.findFirst('GNUmakefile', 'makefile', 'Makefile');
  const just = dir.findFirst('justfile', 'Justfile', '.justfile');
  const task = dir.findFirst('Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml');
  if (make && listMakeTargets(dir.readText(make) ?? '').includes(name)) return { command: `make ${name}`, from: make, isDeclared: true };
  if (just && hasRecipe(dir.readText(just) ?? '', name)) return { command: `just ${name}`, from: just, isDeclared: true };
  if (task && getAtPath(readYamlFile(dir, task), 'tasks', name) !== undefined)
    return { command: `task ${name}`, from: task, isDeclared: true };
  return undefined;
}

/** Lists the names before the colon of a rule. Assignments (`:=`, `::=`) are not rules. */
const listMakeTargets = (text: string): string[] =>
  [...text.matchAll(/^([A-Za-z0-9_.][A-Za-z0-9_./ -]*?)\s*::?(?![:=])/gm)].flatMap(([, names]) => (names ?? '').split(/\s+/));

/** Finds a recipe that can be run without arguments. */
function hasRecipe(text: string, name: string): boolean {
  const found = new RegExp(`^@?${name}((?:[ \\t]+[^:\\n]*)?):(?!=)`, 'm').exec(text);
  return (
    found !== null &&
    (found[1] ?? '')
      .trim()
      .split(/\s+/)
      .every((parameter) => parameter === '' || /^\*|=/.test(parameter))
  );
}
