import type { ExitMeaning } from '../exit-class.ts';
import { check, type Judged } from './gate.ts';

export interface AttemptFacts {
  meaning: ExitMeaning;
  timedOut: boolean;
  leaked: number;
  isTruncated: boolean;
}

/** Whether a skill ran as a program should. What it left running or said too much of is told, and is no failure. */
export const executionChecks = ({ meaning, timedOut, leaked, isTruncated }: AttemptFacts): Judged[] => [
  check('exit_code', meaning.class === 'success', `exit ${meaning.code} (${meaning.name})`, { expected: 0, actual: meaning.code }),
  check('timeout', !timedOut, timedOut ? 'its time was up' : 'it ended in time'),
  {
    ...check('leaked_process', leaked === 0, leaked === 0 ? 'nothing was left running' : `${leaked} processes were left running`, {
      expected: 0,
      actual: leaked,
    }),
    isRemark: true,
  },
  { ...check('output_size', !isTruncated, isTruncated ? 'it printed more than is kept' : 'all of its output is kept'), isRemark: true },
];
