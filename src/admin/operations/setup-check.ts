import { array, boolean, description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { job, noData } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { requireReader } from '#core/require-reader.ts';
import { formatTrustValue } from '#core/rules/trust.ts';
import { defined } from '#lib/collections.ts';
import { clientNames } from '../rules/setup-clients.ts';
import { listForeignCommands } from '../rules/setup-plan.ts';
import { type ClientCheck, checkAgentClient } from './shared/client-checks.ts';
import { createProjectReader, inspectClients } from './shared/setup-files.ts';

export const adminSetupCheck = job({
  name: 'admin.setup.check',
  summary: 'Start the server and hooks as a client does, and report',
  params: strictObject({
    client: optional(pipe(picklist([...clientNames, 'all']), description('Client to check; the default is every client that is set up'))),
  }),
  result: strictObject({
    checks: array(
      strictObject({
        client: picklist(clientNames),
        check: picklist(['server', 'tools', 'store', 'hook']),
        ok: boolean(),
        message: string(),
        /** Commands of the client that were run. */
        command: optional(string()),
      }),
    ),
  }),
  errors: ['E_NOT_INITIALIZED', 'E_CONFIG_ERROR', 'E_DEPENDENCY_ERROR'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  scope: { scope: 'admin', when: 'for a command that `cleo setup` did not write', isNeeded: () => false },
  cli: { command: 'setup', select: 'check', args: ['client'] },
  example: { call: {}, exit: 100 },
  async run(ctx, { client }) {
    const { platform, project, signal } = ctx;
    const states = await inspectClients(platform, project);
    const isNamed = client !== undefined && client !== 'all';
    const selected = states.filter(({ client: { name }, parts }) => (isNamed ? name === client : parts.includes('mcp')));
    const missing = selected.find(({ parts }) => !parts.includes('mcp'));
    if (missing) {
      const { name, title, parts } = missing.client;
      const file = parts.find(({ kind }) => kind === 'mcp')?.file ?? '';
      throw new CleoError('E_CONFIG_ERROR', {
        path: file,
        problem: `does not have the server cleo, so ${title} does not start it`,
        fix: `cleo setup ${name}`,
      });
    }
    // The files of a client are committed, so a clone can bring any program in them.
    const readText = await createProjectReader(project);
    const foreign = selected.flatMap((state) => listForeignCommands(state.client, readText));
    const [first] = foreign;
    const lines = foreign.map(({ file, command }) => `  ${file}: ${formatTrustValue(command, Number.POSITIVE_INFINITY)}`);
    const preview = ['This runs commands of the project:', ...lines];
    const request = { subject: 'setup', action: `Running the command that ${first?.file} names`, content: preview, preview };
    if (first && !requireReader(ctx, 'admin', request))
      throw new CleoError('E_CONFIG_ERROR', {
        path: first.file,
        problem: 'has changed while it was confirmed; nothing ran',
        fix: ctx.commandWith({}),
      });
    const checks: ClientCheck[] = [];
    for (const state of selected) checks.push(...(await checkAgentClient(platform, project, state.client, signal)));
    const failure = checks.find(({ ok }) => !ok);
    if (failure)
      throw new CleoError('E_DEPENDENCY_ERROR', {
        tool: failure.client,
        problem: failure.message,
        fix: failure.fix ?? 'cleo doctor',
        ...defined({ manual: failure.manual }),
        checks,
      });
    return checks.length > 0 ? { checks: checks.map(({ fix: _, manual: __, ...check }) => check) } : noData({ checks: [] });
  },
});
