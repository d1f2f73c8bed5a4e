import { array, boolean, description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, job, noChange, noData } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { type ClientName, clientNames, partKinds } from '../rules/setup-clients.ts';
import { listSteps, StepSchema } from './shared/client-checks.ts';
import { inspectClients, setUpClients } from './shared/setup-files.ts';

const ClientState = strictObject({
  client: picklist(clientNames),
  title: string(),
  /** True if its files are in the project or in the user's home. */
  found: boolean(),
  has: array(picklist(partKinds)),
});

export const adminSetup = job({
  name: 'admin.setup',
  summary: 'Set up an agent client, or list the clients',
  params: strictObject({
    client: optional(
      pipe(picklist([...clientNames, 'all']), description('Client to set up; all: every client found in the project or the home folder')),
    ),
    hooks: optional(pipe(boolean(), description('Claude Code, Codex, Gemini CLI: pass the briefing to the agent when a session starts'))),
    agents: optional(pipe(boolean(), description('The agents cleo-subagent and cleo-validator, if the client supports agents'))),
    statusline: optional(pipe(boolean(), description('Claude Code: also the status line, unless one is set'))),
    remove: optional(pipe(boolean(), description('Remove everything that setup has written'))),
    dryRun: optional(pipe(boolean(), description('Only report what would be written'))),
  }),
  result: strictObject({
    clients: array(ClientState),
    files: optional(array(strictObject({ file: string(), change: picklist(['created', 'updated', 'deleted']) }))),
    /** Text that would be added to each file. */
    preview: optional(array(strictObject({ file: string(), adds: string() }))),
    dryRun: optional(boolean()),
    steps: optional(array(StepSchema)),
    plan: optional(pipe(string(), description('How the plan reaches other clones'))),
  }),
  errors: ['E_NOT_INITIALIZED', 'E_CONFIG_ERROR', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT', 'E_INVALID_INPUT'],
  tier: 1,
  needs: 'project',
  usesHost: true,
  cli: { command: 'setup', args: ['client'], view: async () => (await import('../view.ts')).adminView },
  example: { call: { client: 'codex' } },
  async run({ platform, project, commandWith }, { client, ...options }) {
    const states = async () =>
      (await inspectClients(platform, project)).map(({ client: { name, title }, isFound, parts }) => ({
        client: name,
        title,
        found: isFound,
        has: parts,
      }));
    const describeTravel = async (): Promise<string | undefined> =>
      (await import('#transfer/operations/shared/plan-travel.ts')).describePlanTravel(platform, project);
    if (client === undefined) {
      if (options.remove || options.dryRun || options.statusline || options.hooks !== undefined || options.agents !== undefined)
        throw new CleoError('E_INVALID_INPUT', {
          problem: 'setup needs a client',
          fix: commandWith({ client: 'all' }),
          field: 'client',
        });
      return { clients: await states(), ...defined({ plan: await describeTravel() }) };
    }
    const names: ClientName[] =
      client === 'all'
        ? (await states()).flatMap(({ client: name, found, has }) => (found || has.includes('mcp') ? [name] : []))
        : [client];
    const { changes, warnings } = await setUpClients(platform, project, names, options);
    const selected = (await states()).filter(({ client: name }) => names.includes(name));
    const files = changes.map(({ file, change }) => ({ file, change }));
    const preview = changes.flatMap(({ file, adds }) => (adds === undefined ? [] : [{ file, adds }]));
    const steps = options.remove ? [] : await listSteps(platform, project, names);
    const result = {
      clients: selected,
      files,
      ...omitEmpty({ steps }),
      ...(options.remove ? {} : defined({ plan: await describeTravel() })),
      ...(options.dryRun ? { ...(preview.length > 0 ? { preview } : {}), dryRun: true } : {}),
    };
    if (names.length === 0) return noData(result);
    if (changes.length === 0) return options.remove ? noChange(result) : answer(result, { exit: 101, warnings });
    return answer(result, { warnings });
  },
});
