import { CleoError } from '#core/errors/error.ts';
import { isTokenSecret, type Token } from '#core/model/token.ts';
import { formatTokenRenewal } from '#core/rules/token-terms.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import { type App, type Call, requireProject } from './call-context.ts';

export type TokenIdentity = NonNullable<Call['token']>;

/** Finds the token of a secret; undefined if it is unknown or revoked, or if it belongs to another project. Throws if it has expired: its
 *  owner needs a new one. Every call checks it, so that revoking takes effect at once. */
export async function authenticate(
  app: App,
  secret: string,
  { acceptsEarlier = false }: { acceptsEarlier?: boolean } = {},
): Promise<TokenIdentity | undefined> {
  const { platform, openStore } = app;
  if (!isTokenSecret(secret)) return undefined;
  if (app.usesServer()) return (await import('./remote/send-call.ts')).readServerToken(app);
  const hash = platform.sha256(secret);
  const store = await openStore('read');
  const find = (tokens: ReadStore['tokens']): Promise<Token | undefined> => tokens.getActiveByHash(hash);
  const found = await (acceptsEarlier && store.readEarlierTokens
    ? store.readEarlierTokens(find)
    : store.read(({ tokens }) => find(tokens)));
  if (!found || !platform.isSameSecret(found.hash, hash)) return undefined;
  const key = platform.config.load(requireProject(platform))['project.key'];
  if (found.project !== undefined && found.project !== key) return undefined;
  // A database that was restored by other means than cleo may hold it again.
  if ((await platform.loadRevokedTokens()).has(key, hash)) return undefined;
  if (found.expiresAt !== undefined && found.expiresAt <= platform.now())
    throw new CleoError('E_UNAUTHORIZED', {
      problem: `Token ${found.name} expired at ${found.expiresAt}`,
      command: formatTokenRenewal(found),
    });
  return toIdentity(found);
}

const toIdentity = ({ name, scope, agent, owner, ownerKind, callsPerMinute }: Token): TokenIdentity => ({
  name,
  scope,
  ...defined({ agent, owner, ownerKind, callsPerMinute }),
});

/** Checks whether the project has a valid token at all. */
export const hasTokens = async ({ openStore, platform }: App): Promise<boolean> =>
  (await (await openStore('read')).read((reads) => reads.tokens.countActive(platform.now()))) > 0;
