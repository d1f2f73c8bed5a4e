import { addRows } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { type Row, row } from '#core/errors/row.ts';
import { classOf } from '../model/skill-exit.ts';

const longest = 1500;

/** How the commands that run and judge skills refuse: with the code of the skill, and the class it belongs to. */
const rows = {
  E_SKILL: row<{ exit: number; class: string; problem: string; fix: string; [fact: string]: unknown }>({
    exit: 70,
    exitOf: (d) => d.exit,
    http: 422,
    // Whole documents may stand in it: what they lack is told in the details.
    message: (d) => (d.problem.length > longest ? `${d.problem.slice(0, longest)} …` : d.problem),
    fix: (d) => d.fix,
    code: (d) => `E_SKILL_${d.class.toUpperCase()}`,
  }),
} satisfies Record<string, Row<never>>;

type SkillRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends SkillRows {}
}

addRows(rows);

export const skillRefusal = (exit: number, problem: string, fix: string, facts: Record<string, unknown> = {}): CleoError =>
  new CleoError('E_SKILL', { exit, class: classOf(exit), problem, fix, ...facts });

/** What cleo refuses with, said in the codes of skills: what has to be done before is 80, what is not the caller's to do is 77. A
 *  command line that does not parse is 2 in both. */
const translated: Record<number, number> = { 1: 70, 3: 73, 4: 66, 5: 69, 6: 64, 7: 75, 8: 78, 34: 77, 36: 80, 64: 77, 80: 80, 83: 80 };

export function asSkillRefusal(refusal: CleoError): CleoError {
  if (refusal.row === 'E_SKILL' || refusal.exitCode === 2) return refusal;
  const exit = refusal.row === 'E_NOT_INITIALIZED' ? 78 : (translated[refusal.exitCode] ?? 70);
  return skillRefusal(exit, refusal.message, refusal.fix, { ...refusal.details, cleoCode: refusal.code });
}
