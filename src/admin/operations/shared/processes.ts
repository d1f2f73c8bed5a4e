import { description, metadata, optional, pipe, strictObject, string } from 'valibot';
import type { CommandDefinition } from '#core/define.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { tasksList } from '#tasks/operations/list.ts';
import { Root, rootAliases } from '#tasks/operations/shared/root.ts';

/** Commands that are a process rather than a call: they run until they are stopped, and have no envelope and no audit row.
 *  Loaded only where a word is no operation's; what each one runs is handed to the command line by main. */
export const processes: CommandDefinition[] = [
  {
    name: 'mcp',
    summary: 'Serve MCP on standard input and output until the client leaves',
    params: strictObject({}),
    cli: { command: 'mcp' },
  },
  {
    name: 'serve',
    summary: 'Serve HTTP and MCP until it is stopped',
    params: strictObject({
      port: optional(
        pipe(wholeNumber({ min: 0, max: 65_535 }), description('Where to listen; 0 takes any port that is free (default: serve.port)')),
      ),
      host: optional(
        pipe(
          string(),
          description('The address to listen on (default: 127.0.0.1); callers of any other need a token'),
          metadata({ value: 'ADDRESS' }),
        ),
      ),
    }),
    cli: { command: 'serve' },
  },
  {
    name: 'watch',
    summary: 'Watch the board change: on a terminal with keys to move around, else a line of JSON for each change',
    params: strictObject({ epic: Root }),
    paramAliases: rootAliases,
    cli: { command: 'watch', args: ['epic'] },
  },
  {
    name: 'list-watch',
    summary: 'Watch a list of tasks change: on a terminal with keys to move around, else the list again when it is another',
    params: tasksList.params,
    cli: { command: 'list', select: 'watch' },
  },
];
