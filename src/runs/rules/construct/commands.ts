import type { Construct } from '../../model/construct.ts';

/** True if the construct itself names a command: a judge, an executor, the command of a skill, or a `command` check. */
export const hasCommands = ({ judge, executor, skills, phases }: Pick<Construct, 'judge' | 'executor' | 'skills' | 'phases'>): boolean =>
  judge !== undefined ||
  executor !== undefined ||
  skills.some(({ run }) => run !== undefined) ||
  phases.some(({ gates: { precondition, execution, output } }) =>
    [precondition, execution, output].some(({ checks }) => checks.some(({ kind }) => kind === 'command')),
  );
