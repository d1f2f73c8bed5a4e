import { boolean, optional, picklist, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { TokenScopeSchema } from '#core/model/token.ts';
import { includesScope } from '#core/rules/token-scope.ts';
import { defined } from '#lib/collections.ts';
import { proofMethods } from '#sessions/model/person-proof.ts';
import { readProofMethod } from '#sessions/operations/shared/prove-person.ts';
import { detectStore } from './shared/detect-store.ts';

export const adminWhoami = query({
  name: 'admin.whoami',
  summary: 'Show the caller, its scope and the project',
  params: strictObject({}),
  result: strictObject({
    caller: strictObject({
      agent: string(),
      kind: picklist(['person', 'agent']),
      via: string(),
      token: optional(string()),
      session: optional(string()),
    }),
    scope: TokenScopeSchema,
    canWrite: boolean(),
    proof: picklist(proofMethods),
    project: strictObject({ name: string(), key: optional(string()) }),
    store: picklist(['sqlite', 'postgres', 'server']),
    version: string(),
  }),
  errors: [],
  tier: 1,
  runsOn: 'server',
  needs: 'project',
  cli: { command: 'whoami' },
  example: { call: {} },
  async run(ctx) {
    const { caller, token, platform, project, config } = ctx;
    const { kind, via, token: name } = await ctx.describePrincipal();
    const scope = token?.scope ?? 'mutate';
    return {
      caller: defined({ agent: caller.agent, kind, via, token: name, session: caller.session }),
      scope,
      canWrite: includesScope(scope, 'mutate'),
      proof: await readProofMethod(platform, ''),
      project: { name: project.root.split(/[\\/]/).filter(Boolean).at(-1) ?? '', ...defined({ key: config['project.key'] || undefined }) },
      store: detectStore(ctx) ?? ('sqlite' as const),
      version: platform.version,
    };
  },
});
