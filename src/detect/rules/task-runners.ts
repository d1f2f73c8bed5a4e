import { getAtPath, type ProjectDir, readYamlFile } from './facts.ts';
import type { TestCommand } from './part.ts';

/** Finds a target of a task runner that is not tied to a language: make, just or task. */
export function findRunnerTarget(dir: ProjectDir, name: string): Omit<TestCommand, 'framework'> | undefined {
  const make = dir.findFirst('GNUmakefile', 'makefile', 'Makefile');
  if (make && listMakeTargets(dir.readText(make) ?? '').includes(name))
    return { command: `make ${name}`, from: dir.toPath(make), isDeclared: true };
  const just = dir.findFirst('justfile', 'Justfile', '.justfile');
  if (just && hasRecipe(dir.readText(just) ?? '', name)) return { command: `just ${name}`, from: dir.toPath(just), isDeclared: true };
  const task = dir.findFirst('Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml');
  if (task && getAtPath(readYamlFile(dir, task), 'tasks', name) !== undefined)
    return { command: `task ${name}`, from: dir.toPath(task), isDeclared: true };
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
