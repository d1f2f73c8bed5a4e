import { array, boolean, description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, job, noChange, noData } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type ClientName, clientNames, pieceKinds } from '../rules/setup-clients.ts';
import { setUp, survey } from './shared/setup-files.ts';

const ClientState = strictObject({
  client: picklist(clientNames),
  title: string(),
  /** Whether something of it is in the project or in the user's home. */
  found: boolean(),
  has: array(picklist(pieceKinds)),
});

export const adminSetup = job({
  name: 'admin.setup',
  summary: 'Register the MCP server with a client of agents and tell its agents; without one, list what is set up',
  params: strictObject({
    client: optional(
      pipe(picklist([...clientNames, 'all']), description('Which one; all stands for those that are found in the project or for the user')),
    ),
    hooks: optional(pipe(boolean(), description('Claude Code: print the briefing when a session starts and before it is compacted'))),
    agents: optional(
      pipe(boolean(), description('The agents that work is handed to, cleo-subagent and cleo-validator, where the client knows agents')),
    ),
    statusline: optional(pipe(boolean(), description('Claude Code: also the status line, unless there is one'))),
    remove: optional(pipe(boolean(), description('Take everything out again'))),
    dryRun: optional(pipe(boolean(), description('Only report what would be written'))),
  }),
  result: strictObject({
    clients: array(ClientState),
    files: optional(array(strictObject({ file: string(), change: picklist(['created', 'updated', 'deleted']) }))),
    /** What a dry run would put into each. */
    preview: optional(array(strictObject({ file: string(), adds: string() }))),
    dryRun: optional(boolean()),
  }),
  errors: ['E_NOT_INITIALIZED', 'E_CONFIG_ERROR', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT', 'E_INVALID_INPUT'],
  tier: 1,
  needs: 'project',
  scope: 'admin',
  cli: { command: 'setup', args: ['client'], view: async () => (await import('../view.ts')).adminView },
  example: { call: { client: 'codex' } },
  async run({ platform, project, commandWith }, { client, ...wanted }) {
    const states = async () =>
      (await survey(platform, project)).map(({ client: { name, title }, isFound, parts }) => ({
        client: name,
        title,
        found: isFound,
        has: parts,
      }));
    if (client === undefined) {
      if (wanted.remove || wanted.dryRun || wanted.statusline || wanted.hooks !== undefined || wanted.agents !== undefined)
        throw new CleoError('E_INVALID_INPUT', {
          problem: 'setup needs to know which client',
          fix: commandWith({ client: 'all' }),
          field: 'client',
        });
      return { clients: await states() };
    }
    const names: ClientName[] =
      client === 'all'
        ? (await states()).flatMap(({ client: name, found, has }) => (found || has.includes('mcp') ? [name] : []))
        : [client];
    const { changes, remarks } = await setUp(platform, project, names, wanted);
    const chosen = (await states()).filter(({ client: name }) => names.includes(name));
    const files = changes.map(({ file, change }) => ({ file, change }));
    const preview = changes.flatMap(({ file, adds }) => (adds === undefined ? [] : [{ file, adds }]));
    const result = { clients: chosen, files, ...(wanted.dryRun ? { ...(preview.length > 0 ? { preview } : {}), dryRun: true } : {}) };
    if (names.length === 0) return noData(result);
    if (changes.length === 0) return wanted.remove ? noChange(result) : answer(result, { exit: 101, warnings: remarks });
    return answer(result, { warnings: remarks });
  },
});
