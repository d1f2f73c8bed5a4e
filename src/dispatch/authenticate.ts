import { isTokenSecret } from '#core/model/token.ts';
import type { App, Call } from './call-context.ts';

export type TokenIdentity = NonNullable<Call['token']>;

/** Finds the token of a secret; undefined if it is unknown or revoked. Every call checks it, so that revoking takes effect at once. */
export async function authenticate(app: App, secret: string): Promise<TokenIdentity | undefined> {
  const { platform, openStore } = app;
  if (!isTokenSecret(secret)) return undefined;
  if (app.usesServer()) return (await import('./remote/send-call.ts')).readServerToken(app);
  const hash = platform.sha256(secret);
  const found = await (await openStore('read')).read((reads) => reads.tokens.getActiveByHash(hash));
  return found && platform.isSameSecret(found.hash, hash) ? { name: found.name, scope: found.scope } : undefined;
}

/** Checks whether the project has a valid token at all. */
export const hasTokens = async ({ openStore }: App): Promise<boolean> =>
  (await (await openStore('read')).read((reads) => reads.tokens.countActive())) > 0;
