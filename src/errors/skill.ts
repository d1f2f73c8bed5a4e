import { addRows } from './catalogue.ts';
import { CleoError } from './error.ts';
import { type Row, row } from './row.ts';

/** How the commands that run and judge skills refuse: with the code of the skill, and the class it belongs to. */
const rows = {
  E_SKILL: row<{ exit: number; class: string; problem: string; fix: string; [fact: string]: unknown }>({
    exit: 70,
    exitOf: (d) => d.exit,
    http: 422,
    message: (d) => d.problem,
    fix: (d) => d.fix,
    code: (d) => `E_SKILL_${d.class.toUpperCase()}`,
  }),
} satisfies Record<string, Row<never>>;

export type SkillRows = typeof rows;

addRows(rows);

/** The classes of codes that the runner gives itself. */
const classes: Record<number, string> = {
  64: 'precondition',
  65: 'precondition',
  66: 'precondition',
  70: 'internal',
  73: 'precondition',
  74: 'temporary',
  75: 'temporary',
  78: 'precondition',
  80: 'blocked',
};

export const skillRefusal = (exit: number, problem: string, fix: string, facts: Record<string, unknown> = {}): CleoError =>
  new CleoError('E_SKILL', { exit, class: classes[exit] ?? 'unknown', problem, fix, ...facts });
