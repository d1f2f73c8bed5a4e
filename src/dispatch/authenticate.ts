import { isTokenSecret } from '#core/model/token.ts';
import type { App, Call } from './call-context.ts';

export type TokenIdentity = NonNullable<Call['token']>;

/** Finds the token of a secret; undefined if it is unknown or revoked. Every call checks it, so that revoking takes effect at once. */
export async function authenticate({ platform, openStore }: App, secret: string): Promise<TokenIdentity | undefined> {
  if (!isTokenSecret(secret)) return undefined;
  const hash = platform.sha256(secret);
  const found = await (await openStore('read')).read((reads) => reads.tokens.getActiveByHash(hash));
  return found && platform.isSameSecret(found.hash, hash) ? { name: found.name, scope: found.scope } : undefined;
}

/** Checks whether the project has a valid token at all. */
export const hasTokens = async ({ openStore }: App): Promise<boolean> =>
  (await (await openStore('read')).read((reads) => reads.tokens.countActive())) > 0;
