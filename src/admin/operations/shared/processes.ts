import { boolean, description, metadata, optional, pipe, strictObject, string } from 'valibot';
import type { CommandDefinition } from '#core/define.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { tasksList } from '#tasks/operations/list.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';

/** Commands that run as a process until they are stopped, without an envelope and an audit entry. This file is loaded only if a word is not
 *  an operation; `main` supplies the code of each process. */
export const processes: CommandDefinition[] = [
  {
    name: 'mcp',
    summary: 'Serve MCP on standard input and output',
    params: strictObject({}),
    cli: { command: 'mcp' },
  },
  {
    name: 'serve',
    summary: 'Serve the web page, HTTP and MCP',
    params: strictObject({
      port: optional(
        pipe(wholeNumber({ min: 0, max: 65_535 }), description('Port to listen on; 0: any free port (default: serve.port, which is 4800)')),
      ),
      host: optional(
        pipe(
          string(),
          description('Address to listen on (default: 127.0.0.1); any other address requires tokens'),
          metadata({ value: 'ADDRESS' }),
        ),
      ),
      open: optional(pipe(boolean(), description('Open the web page in the browser'))),
    }),
    cli: { command: 'serve' },
  },
  {
    name: 'watch',
    summary: 'Watch the board live; without a terminal, as JSON lines',
    params: strictObject({ epic: Root }),
    paramAliases: rootAliases,
    cli: { command: 'watch', args: ['epic'] },
  },
  {
    name: 'list-watch',
    summary: 'Watch a list of tasks live',
    params: tasksList.params,
    cli: { command: 'list', select: 'watch' },
  },
];
