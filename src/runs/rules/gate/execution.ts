import type { ExitMeaning } from '../exit-class.ts';
import { check, type Judged } from './gate.ts';

export interface AttemptFacts {
  meaning: ExitMeaning;
  /** What it had, where it took more. */
  timedOutMs: number | undefined;
  leaked: number;
  isTruncated: boolean;
}

/** Whether a skill ran as a program should. What it left running or said too much of is told, and is no failure. */
export const executionChecks = ({ meaning, timedOutMs, leaked, isTruncated }: AttemptFacts): Judged[] => [
  check(
    'exit_code',
    meaning.class === 'success',
    `exit ${meaning.code} (${meaning.name})${timedOutMs ? `: it took more than ${timedOutMs} ms` : ''}`,
    {
      expected: 0,
      actual: meaning.code,
    },
  ),
  check('timeout', timedOutMs === undefined, timedOutMs === undefined ? 'it ended in time' : 'its time was up'),
  {
    ...check('leaked_process', leaked === 0, leaked === 0 ? 'nothing was left running' : leftRunning(leaked), {
      expected: 0,
      actual: leaked,
    }),
    isRemark: true,
  },
  { ...check('output_size', !isTruncated, isTruncated ? 'it printed more than is kept' : 'all of its output is kept'), isRemark: true },
];

export const leftRunning = (count: number): string =>
  count === 1 ? 'one of its processes was left running' : `${count} of its processes were left running`;
