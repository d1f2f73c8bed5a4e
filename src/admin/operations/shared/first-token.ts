import { resolve } from 'node:path';
import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type Token, tokenPrefix } from '#core/model/token.ts';
import { toExpiry } from '#core/rules/token-terms.ts';
import { defined } from '#lib/collections.ts';

/** The name of the first token. */
const firstTokenName = 'admin';

interface FirstTokenRequest {
  isNewStore: boolean;
  file: string;
}

interface FirstToken {
  name: string;
  file: string;
  expiresAt?: string | undefined;
}

/** Rejects a caller that may not create the first token of a store. Whoever creates the store may; an agent needs a person, and so does
 *  everybody whose store exists already: without this any process of the machine could make itself an administrator. */
export async function requireFirstTokenScope(
  { platform, gateway, requireScope }: JobContext,
  { isNewStore, file }: FirstTokenRequest,
): Promise<void> {
  const isAgent = async (): Promise<boolean> =>
    gateway !== 'cli' || platform.identity.kind !== 'person' || (await platform.loadTerminal()).marks.some(({ kind }) => kind === 'agent');
  if (!isNewStore || (await isAgent()))
    requireScope('admin', { subject: firstTokenName, action: `Writing the first admin token of the store to ${file}` });
}

/** Checks whether the command has run before: there are tokens, and the file exists. Throws if there are tokens without it. */
export async function hasFirstToken({ platform, read }: JobContext, { isNewStore, file }: FirstTokenRequest): Promise<boolean> {
  if (isNewStore || (await read(({ tokens }) => tokens.list())).length === 0) return false;
  if (platform.files.exists(resolve(platform.folder, file))) return true;
  throw new CleoError('E_ID_COLLISION', { id: firstTokenName, fix: 'cleo token list' });
}

/** Creates the first token of a store, of scope admin, and writes its secret to a file that only its owner can read. */
export async function createFirstToken(ctx: JobContext, { file }: FirstTokenRequest): Promise<FirstToken> {
  const { platform, caller, now } = ctx;
  const { files } = platform;
  const path = resolve(platform.folder, file);
  const secret = `${tokenPrefix}${platform.randomSecret()}`;
  if (!files.writeNew(path, `${secret}\n`, true))
    throw new CleoError('E_FILE_ERROR', { path, problem: 'exists already; name a file that does not', fix: 'cleo help init' });
  try {
    const token: Token = {
      name: firstTokenName,
      scope: 'admin',
      hash: platform.sha256(secret),
      createdAt: now,
      createdBy: caller.agent,
      ...defined({ expiresAt: toExpiry(now), project: ctx.config()['project.key'] || undefined }),
    };
    await ctx.writeAndLog(({ tokens }) => tokens.insert(token));
    ctx.changes.created.push(token.name);
    return { name: token.name, file: path, expiresAt: token.expiresAt };
  } catch (error) {
    files.remove(path);
    throw error;
  }
}
