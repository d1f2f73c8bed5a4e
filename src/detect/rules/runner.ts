import { dig, type Place, yamlIn } from './facts.ts';
import type { Test } from './part.ts';

/** The target of a task runner that belongs to no language: make, just, task. */
export function runnerTarget(place: Place, name: string): Omit<Test, 'framework'> | undefined {
  const make = place.first('GNUmakefile', 'makefile', 'Makefile');
  if (make && makeTargets(place.text(make) ?? '').includes(name))
    return { command: `make ${name}`, from: place.at(make), isDeclared: true };
  const just = place.first('justfile', 'Justfile', '.justfile');
  if (just && hasRecipe(place.text(just) ?? '', name)) return { command: `just ${name}`, from: place.at(just), isDeclared: true };
  const task = place.first('Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml');
  if (task && dig(yamlIn(place, task), 'tasks', name) !== undefined)
    return { command: `task ${name}`, from: place.at(task), isDeclared: true };
  return undefined;
}

/** What stands before the colon of a rule; an assignment (`:=`, `::=`) is none. */
const makeTargets = (text: string): string[] =>
  [...text.matchAll(/^([A-Za-z0-9_.][A-Za-z0-9_./ -]*?)\s*::?(?![:=])/gm)].flatMap(([, names]) => (names ?? '').split(/\s+/));

/** A recipe that needs no argument. */
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
