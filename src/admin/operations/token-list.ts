import { array, optional, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { TokenRow } from './token-create.ts';

export const adminTokenList = query({
  name: 'admin.token.list',
  summary: 'List the tokens of the HTTP server',
  params: strictObject({}),
  result: strictObject({ tokens: array(strictObject({ ...TokenRow.entries, revokedAt: optional(string()) })) }),
  errors: [],
  tier: 2,
  scope: 'admin',
  cli: { command: 'token list' },
  example: { world: ['token dashboard query', 'token ci mutate'], call: {} },
  async run({ store }) {
    const tokens = (await store.tokens.list()).map(({ hash: _, ...token }) => token);
    return tokens.length === 0 ? noData({ tokens }) : { tokens };
  },
});
