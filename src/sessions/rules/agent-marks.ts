import { type AgentMark, environmentMarks, terminalCode, terminalPrograms } from '../model/agent-marks.ts';
import type { ProcessEntry } from '../model/caller-identity.ts';
import { isSet } from './caller.ts';
import { findClientOfProcess, listProgramNames } from './client-process.ts';

/** Lists every mark of an agent, of CI, or of a program that makes a terminal for another one. The variables are first. */
export const findMarks = (env: Record<string, string | undefined>, ancestors: ProcessEntry[]): AgentMark[] => [
  ...environmentMarks.flatMap(({ kind, owner, variables }) =>
    variables.filter((variable) => isMarked(variable, env)).map((variable) => ({ kind, owner, name: getVariableName(variable) })),
  ),
  ...ancestors.flatMap((entry) => findProcessMark(entry) ?? []),
];

function isMarked(variable: string, env: Record<string, string | undefined>): boolean {
  const [name = '', part] = variable.split('~');
  if (part !== undefined) return env[name]?.includes(part) === true;
  // People set `CI=false` to switch a tool's CI mode off.
  return isSet(variable, env) && !/^(0|false)$/i.test(env[getVariableName(variable)] ?? '');
}

const getVariableName = (variable: string): string => variable.replace(/[=~].*$/s, '');

function findProcessMark(entry: ProcessEntry): AgentMark | undefined {
  const { pid, argv } = entry;
  const client = findClientOfProcess(entry);
  if (client) return { kind: 'agent', name: client, owner: client, pid };
  const program = listProgramNames(entry).find((name) => terminalPrograms.includes(name));
  if (program) return { kind: 'terminal', name: program, owner: program, pid };
  const isInline = argv.slice(1).some((word) => terminalCode.test(word));
  return isInline ? { kind: 'terminal', name: getProgramName(entry), owner: getProgramName(entry), pid } : undefined;
}

/** Returns the name that `ps` would show for the program. */
export const getProgramName = (entry: ProcessEntry): string => listProgramNames(entry)[0] ?? 'unknown';

/** Describes a mark as a clause: `the variable CI is set, which is a mark of CI`. */
export function describeMark({ kind, name, owner, pid }: AgentMark): string {
  if (pid === undefined) return `the variable ${name} is set, which is a mark of ${owner}`;
  const ancestor = `the process ${name} (pid ${pid})`;
  return kind === 'terminal'
    ? `${ancestor} makes terminals for other programs, and it started this command`
    : `${ancestor} is an agent, and it started this command`;
}
