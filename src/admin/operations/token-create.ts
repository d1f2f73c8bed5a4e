import { check, description, pipe, strictObject, string } from 'valibot';
import { mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { AgentId } from '#core/model/scalars.ts';
import { TokenScope, tokenPrefix } from '#core/model/token.ts';

export const TokenRow = strictObject({ name: string(), scope: TokenScope, createdAt: string(), createdBy: string() });

export const adminTokenCreate = mutation({
  name: 'admin.token.create',
  summary: 'Create a token for the HTTP server; its secret is shown once',
  params: strictObject({
    name: pipe(
      AgentId,
      check((name) => name !== 'http', 'must not be http, which is what callers without a token are called'),
      description('What it is called in lists and in the log'),
    ),
    scope: pipe(TokenScope, description('What it allows: to read, to write as well, or everything')),
  }),
  result: strictObject({ token: TokenRow, secret: string() }),
  errors: ['E_ID_COLLISION'],
  tier: 2,
  scope: 'admin',
  secretResult: 'secret',
  cli: { command: 'token create' },
  example: { call: { name: 'dashboard', scope: 'query' } },
  async run({ store, platform, caller, now }, { name, scope }) {
    // A name stays with its token for ever, since the log knows tokens by it.
    if (await store.tokens.get(name)) throw new CleoError('E_ID_COLLISION', { id: name, fix: 'cleo token list' });
    const secret = `${tokenPrefix}${platform.randomSecret()}`;
    const token = { name, scope, createdAt: now, createdBy: caller.agent };
    await store.tokens.insert({ ...token, hash: platform.sha256(secret) });
    return { token, secret };
  },
});
