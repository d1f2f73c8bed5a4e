import { check, description, optional, pipe, strictObject, string } from 'valibot';
import { mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { AgentId } from '#core/model/scalars.ts';
import { TokenScopeSchema, tokenPrefix } from '#core/model/token.ts';

export const TokenRow = strictObject({ name: string(), scope: TokenScopeSchema, createdAt: string(), createdBy: string() });
/** A token that may have been revoked. */
export const RevocableToken = strictObject({ ...TokenRow.entries, revokedAt: optional(string()) });

export const adminTokenCreate = mutation({
  name: 'admin.token.create',
  summary: 'Create a token for the HTTP server',
  params: strictObject({
    name: pipe(
      AgentId,
      check((name) => name !== 'http', 'must not be http, which is the name of callers without a token'),
      description('Name of the token in lists and in the log'),
    ),
    scope: pipe(TokenScopeSchema, description('query: read; mutate: also write; decide: also what people decide; admin: everything')),
  }),
  result: strictObject({ token: TokenRow, secret: string() }),
  errors: ['E_ID_COLLISION'],
  tier: 2,
  scope: 'admin',
  subject: 'name',
  secretResult: 'secret',
  cli: { command: 'token create' },
  example: { call: { name: 'dashboard', scope: 'query' } },
  async run({ store, platform, caller, now }, { name, scope }) {
    // Names of revoked tokens are not reused, because the log refers to tokens by name.
    if (await store.tokens.get(name)) throw new CleoError('E_ID_COLLISION', { id: name, fix: 'cleo token list' });
    const secret = `${tokenPrefix}${platform.randomSecret()}`;
    const token = { name, scope, createdAt: now, createdBy: caller.agent };
    await store.tokens.insert({ ...token, hash: platform.sha256(secret) });
    return { token, secret };
  },
});
