import { array, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { toTokenRow } from './shared/token-row.ts';
import { RevocableToken } from './token-create.ts';

export const adminTokenList = query({
  name: 'admin.token.list',
  summary: 'List the tokens of the HTTP server',
  params: strictObject({}),
  result: strictObject({ tokens: array(RevocableToken) }),
  errors: [],
  tier: 2,
  scope: 'admin',
  cli: { command: 'token list' },
  example: { world: ['token dashboard query', 'token ci mutate'], call: {} },
  async run({ store }) {
    const tokens = (await store.tokens.list()).map(toTokenRow);
    return tokens.length === 0 ? noData({ tokens }) : { tokens };
  },
});
