import type { ExitMeaning } from '../exit-class.ts';
import { createCheck, type GateCheck } from './gate.ts';

interface AttemptFacts {
  meaning: ExitMeaning;
  /** The timeout of the attempt, if it was exceeded. */
  timedOutMs: number | undefined;
  leaked: number;
  isTruncated: boolean;
}

/** Checks how an attempt ended. Leaked processes and truncated output are advisory. */
export const checkExecution = ({ meaning, timedOutMs, leaked, isTruncated }: AttemptFacts): GateCheck[] => [
  createCheck(
    'exit_code',
    meaning.class === 'success',
    `exit ${meaning.code} (${meaning.name})${timedOutMs ? `: timed out after ${timedOutMs} ms` : ''}`,
    {
      expected: 0,
      actual: meaning.code,
    },
  ),
  createCheck('timeout', timedOutMs === undefined, timedOutMs === undefined ? 'finished in time' : 'timed out'),
  {
    ...createCheck('leaked_process', leaked === 0, leaked === 0 ? 'no subprocess was still running' : formatKilledProcesses(leaked), {
      expected: 0,
      actual: leaked,
    }),
    isAdvisory: true,
  },
  {
    ...createCheck('output_size', !isTruncated, isTruncated ? 'the output was truncated' : 'the output is complete'),
    isAdvisory: true,
  },
];

export const formatKilledProcesses = (count: number): string =>
  count === 1 ? 'killed 1 subprocess that was still running' : `killed ${count} subprocesses that were still running`;
