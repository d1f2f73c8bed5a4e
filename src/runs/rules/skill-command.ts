import type { SkillSpec } from '../model/construct.ts';

/** What was found of a skill, as far as it decides what runs it. */
export interface SkillPlace {
  folder?: string;
  command?: string[];
  locked?: string;
}

export type SkillCommand = { argv: string[] } | { code: 126 | 127; name: 'not_executable' | 'not_found'; problem: string };

/** What runs a skill: what the manifest says, its own program, else what runs skills that are only texts. */
export function skillCommand(
  { name, path, run }: Pick<SkillSpec, 'name' | 'path' | 'run'>,
  { folder, command, locked }: SkillPlace,
  executor: string[] | undefined,
): SkillCommand {
  if (run) return { argv: run };
  if (folder === undefined) {
    const places = path ?? '.cleo/skills, .claude/skills and skills';
    return { code: 127, name: 'not_found', problem: `there is no skill ${name} (looked in ${places})` };
  }
  const argv = command ?? executor;
  if (argv) return { argv };
  const lack = locked ? `${locked} is not executable (chmod +x)` : `${folder} has nothing to run (run, run.sh, run.mjs or run.py)`;
  return { code: 126, name: 'not_executable', problem: `${lack}, and there is no execution.executor` };
}

/** It need not be there, and is not. */
export const isAbsent = ({ required, run }: Pick<SkillSpec, 'required' | 'run'>, { folder }: SkillPlace): boolean =>
  !required && run === undefined && folder === undefined;
