import { addErrorRows, commandLine, type ErrorRow, row } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { ExitClass } from '../model/skill-exit.ts';

const maxMessageLength = 1500;

/** The error of all commands that run or assess skills: it carries an exit code of the skill table and its class. */
const rows = {
  E_SKILL: row<{ exit: number; class: string; problem: string; fix: string; then?: string; check?: string; [fact: string]: unknown }>({
    exit: 70,
    getExit: (d) => d.exit,
    http: 422,
    // A problem can quote a whole document. The details hold the rest.
    message: (d) => (d.problem.length > maxMessageLength ? `${d.problem.slice(0, maxMessageLength)} …` : d.problem),
    fix: (d) => d.fix,
    alternatives: (d) => [
      ...(d.check ? [{ action: 'Check the handoff', command: d.check }] : []),
      ...(d.then ? [{ action: 'Continue after that', command: d.then }] : []),
    ],
    code: (d) => `E_SKILL_${d.class.toUpperCase()}`,
  }),
} satisfies Record<string, ErrorRow<never>>;

type SkillRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends SkillRows {}
}

addErrorRows(rows);

export const createSkillError = (exit: number, problem: string, fix: string, facts: Record<string, unknown> = {}): CleoError =>
  new CleoError('E_SKILL', { exit, class: classifyExitCode(exit), problem, fix, ...facts });

/** Maps exit codes of CLEO to those of skills: 80 for an unmet precondition, 77 for a missing permission. A command line that does not
 *  parse is 2 in both tables. */
const skillExits: Record<number, number> = { 1: 70, 3: 73, 4: 66, 5: 69, 6: 64, 7: 75, 8: 78, 34: 77, 36: 80, 80: 80, 83: 80 };

export function toSkillError(error: CleoError): CleoError {
  // A missing scope is an error of the caller, the same for every operation.
  if (error.row === 'E_SKILL' || error.row === 'E_FORBIDDEN' || error.exitCode === 2) return error;
  const exit = error.row === 'E_NOT_INITIALIZED' ? 78 : (skillExits[error.exitCode] ?? 70);
  return createSkillError(exit, error.message, error.fix, { ...error.details, cleoCode: error.code });
}

/** Runs `work` and turns a file system error into a skill error: 73 for a file of a run, 74 for a trace or log. */
export function reportWriteErrors<T>(path: string, exit: 73 | 74, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    throw createSkillError(exit, `${path} cannot be written: ${code}`, 'cleo doctor', { path });
  }
}

export const showConstructCommand = (file: string): string => commandLine(['cleo', 'construct', 'show', file]);

/** The class of an exit code. Every code from 0 to 255 has exactly one. */
export function classifyExitCode(code: number): ExitClass {
  if (code === 0) return 'success';
  if (code === 1 || code === 3) return 'soft';
  if (code === 4) return 'partial';
  if (code === 2) return 'permanent';
  if ([69, 71, 74, 75, 76].includes(code)) return 'temporary';
  if (code === 70) return 'internal';
  if (code >= 64 && code <= 78) return 'precondition';
  if (code === 80 || code === 82) return 'blocked';
  if (code === 81) return 'timeout';
  if (code === 83) return 'escalate';
  if (code === 84) return 'validation';
  if (code === 126 || code === 127) return 'config';
  return code >= 129 && code <= 192 ? 'signal' : 'unknown';
}
