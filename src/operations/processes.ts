import { strictObject } from 'valibot';
import type { Operation } from './define.ts';

/** What help, completion and parsing have to know of a command. */
export type Typed = Pick<Operation, 'summary' | 'params' | 'cli' | 'also'> & { name: string };

/** Commands that are a process rather than a call: they run until they are stopped, and have no envelope and no audit row.
 *  Loaded only where a word is no operation's; what each one runs is handed to the command line by main. */
export const processes: Typed[] = [
  {
    name: 'mcp',
    summary: 'Serve MCP on standard input and output until the client leaves',
    params: strictObject({}),
    cli: { command: 'mcp' },
  },
];
