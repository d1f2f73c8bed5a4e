import type { SkillSpec } from '../model/construct.ts';

/** The files of a skill that decide how it runs. `nonExecutable` is a program without the execute permission. */
export interface SkillLocation {
  folder?: string;
  command?: string[];
  nonExecutable?: string;
}

type SkillCommand = { argv: string[] } | { code: 126 | 127; name: 'not_executable' | 'not_found'; problem: string };

/** The command that runs a skill: `run` of the manifest, the skill's own program, or else the executor. */
export function resolveSkillCommand(
  { name, path, run }: Pick<SkillSpec, 'name' | 'path' | 'run'>,
  { folder, command, nonExecutable }: SkillLocation,
  executor: string[] | undefined,
): SkillCommand {
  if (run) return { argv: run };
  if (folder === undefined) {
    const searched = path ?? '.cleo/skills, .claude/skills and skills';
    return { code: 127, name: 'not_found', problem: `there is no skill ${name} (looked in ${searched})` };
  }
  const argv = command ?? executor;
  if (argv) return { argv };
  const reason = nonExecutable
    ? `${nonExecutable} is not executable (chmod +x)`
    : `${folder} has nothing to run (run, run.sh, run.mjs or run.py)`;
  return { code: 126, name: 'not_executable', problem: `${reason}, and there is no execution.executor` };
}

export const isOptionalAndAbsent = ({ required, run }: Pick<SkillSpec, 'required' | 'run'>, { folder }: SkillLocation): boolean =>
  !required && run === undefined && folder === undefined;
