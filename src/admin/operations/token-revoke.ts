import { description, pipe, strictObject, string } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { RevocableToken } from './token-create.ts';

export const adminTokenRevoke = mutation({
  name: 'admin.token.revoke',
  summary: 'Revoke a token',
  params: strictObject({ name: pipe(string(), description('Name of the token, as shown by token list')) }),
  result: strictObject({ token: RevocableToken }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  scope: 'admin',
  cli: { command: 'token revoke', args: ['name'] },
  example: { world: ['token dashboard query'], call: { name: 'dashboard' } },
  async run({ store, now }, { name }) {
    const found = await store.tokens.get(name);
    if (!found) {
      const hasAny = (await store.tokens.list()).length > 0;
      throw new CleoError('E_NOT_FOUND', {
        what: 'token',
        id: name.slice(0, 100),
        fix: hasAny ? 'cleo token list' : 'cleo help token create',
      });
    }
    const { hash: _, ...token } = found;
    if (token.revokedAt) return noChange({ token });
    await store.tokens.revoke(name, now);
    return { token: { ...token, revokedAt: now } };
  },
});
