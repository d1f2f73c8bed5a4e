import type { PersonTerminal } from '../src/platform/port.ts';

/** The terminal of a person who types what a question asks for: `Type D-001 to confirm: `. Real terminals are in
 *  `person.test.ts`. */
export const createTypist = (isPresent: boolean): PersonTerminal => ({
  name: isPresent ? '/dev/pts/0' : undefined,
  marks: [],
  processes: ['bash', 'init'],
  ask: async (question) => /Type (\S+) to confirm/.exec(question)?.[1],
  print: () => {},
});
