import { isSecret } from '#core/model/token.ts';
import type { App, Call } from './call-context.ts';

export type Admitted = NonNullable<Call['token']>;

/** Who a secret belongs to; undefined for one that is not in force. Asked for each call, so that what is revoked is out at once. */
export async function admit({ platform, openStore }: App, secret: string): Promise<Admitted | undefined> {
  if (!isSecret(secret)) return undefined;
  const hash = platform.sha256(secret);
  const found = await (await openStore('read')).read((reads) => reads.tokens.inForceWith(hash));
  return found && platform.isSameSecret(found.hash, hash) ? { name: found.name, scope: found.scope } : undefined;
}

/** Whether anyone could be admitted. */
export const hasTokens = async ({ openStore }: App): Promise<boolean> =>
  (await (await openStore('read')).read((reads) => reads.tokens.countInForce())) > 0;
