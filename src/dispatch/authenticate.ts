import { isTokenSecret } from '#core/model/token.ts';
import type { App, Call } from './call-context.ts';

export type TokenIdentity = NonNullable<Call['token']>;

/** Who a secret belongs to; undefined for one that is not in force. Asked for each call, so that what is revoked is out at once. */
export async function authenticate({ platform, openStore }: App, secret: string): Promise<TokenIdentity | undefined> {
  if (!isTokenSecret(secret)) return undefined;
  const hash = platform.sha256(secret);
  const found = await (await openStore('read')).read((reads) => reads.tokens.getActiveByHash(hash));
  return found && platform.isSameSecret(found.hash, hash) ? { name: found.name, scope: found.scope } : undefined;
}

/** Whether anyone could be admitted. */
export const hasTokens = async ({ openStore }: App): Promise<boolean> =>
  (await (await openStore('read')).read((reads) => reads.tokens.countActive())) > 0;
