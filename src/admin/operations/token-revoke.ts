import { description, pipe, strictObject, string } from 'valibot';
import { answer, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { toTokenRow } from './shared/token-row.ts';
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
  async run({ store, now, config, platform }, { name }) {
    const found = await store.tokens.get(name);
    if (!found) {
      const hasAny = (await store.tokens.list()).length > 0;
      throw new CleoError('E_NOT_FOUND', {
        what: 'token',
        id: name.slice(0, 100),
        fix: hasAny ? 'cleo token list' : 'cleo help token create',
      });
    }
    const token = toTokenRow(found);
    const revokedAt = token.revokedAt ?? now;
    if (!token.revokedAt) await store.tokens.revoke(name, now);
    const warnings: string[] = [];
    try {
      // A database that is restored by other means than cleo does not revive it on this machine.
      (await platform.loadRevokedTokens()).add(config['project.key'], [{ name, hash: found.hash, revokedAt }]);
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      warnings.push(`the token is revoked, but not recorded on this machine: ${error.message}`);
    }
    return answer({ token: { ...token, revokedAt } }, token.revokedAt ? { exit: 102, warnings } : { warnings });
  },
});
