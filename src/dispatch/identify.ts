import type { Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { chooseSession, type SessionReference } from '#sessions/rules/caller.ts';
import type { ReadStore, WriteStore } from '#store/port/store.ts';
import { type CallContext, getNamespace } from './call-context.ts';

/** Looks up the session of the call, and whether it is graded, inside the transaction. On a shared store the settings of the project are
 *  read with the same round trip. */
export async function identify(ctx: CallContext, reads: ReadStore, writes?: WriteStore): Promise<void> {
  // Only a store on a server has `ahead`.
  if (!reads.ahead || ctx.hasSharedSettings) return identifyCaller(ctx, reads, writes);
  const { loadSharedSettings } = await import('./shared-settings.ts');
  await Promise.all([identifyCaller(ctx, reads, writes), loadSharedSettings(ctx.app.platform, reads)]);
  ctx.hasSharedSettings = true;
  ctx.config = undefined;
}

/** Requests the reads of `identify`. */
export function readIdentityAhead(ctx: CallContext, reads: ReadStore): Promise<unknown>[] {
  return [
    ...(ctx.isIdentified || ctx.app.isObserver ? [] : [reads.sessions.findCandidates(ctx.caller.agent, getNamedSession(ctx)?.id)]),
    ...(ctx.hasSharedSettings ? [] : [reads.records.listSettings()]),
  ];
}

/** It runs once for each call. */
async function identifyCaller(ctx: CallContext, reads: ReadStore, writes?: WriteStore): Promise<void> {
  if (ctx.isIdentified || ctx.app.isObserver) return;
  ctx.isIdentified = true;
  if (isResolvedByStore(ctx, !!writes)) await (await import('./resolve-agent.ts')).resolveAgent(ctx, reads, writes);
  const { call, caller, operation } = ctx;
  const named = getNamedSession(ctx);
  const choice = chooseSession(await reads.sessions.findCandidates(caller.agent, named?.id), named);
  const session = 'session' in choice ? choice.session : 'inactive' in choice && isAboutSessions(operation) ? choice.inactive : undefined;
  const id = session?.id ?? ('tag' in choice ? choice.tag : call.session);
  ctx.caller = { ...caller, ...(id ? { session: id } : {}) };
  if (session) ctx.session = session;
  if (session && session.id === named?.id) ctx.isNamed = true;
  if (session?.isGraded && session.status === 'active') ctx.isGraded = true;
  const active = 'ambiguous' in choice ? choice.ambiguous : 'others' in choice ? choice.others : [];
  if (active.length > 0) ctx.activeSessions = active;
  if ('ambiguous' in choice) {
    ctx.isAmbiguous = true;
    if (operation.dependsOnSession) throw (await import('./check-session.ts')).createAmbiguityError(ctx);
  }
  if ('unknown' in choice && operation.needs === 'store') {
    const { createSessionNotFoundError } = await import('#sessions/operations/shared/sessions.ts');
    throw await createSessionNotFoundError(reads, choice.unknown);
  }
}

/** Returns true if the environment alone does not identify the agent. A person's call, and a read from the shell of a conversation,
 *  are identified by the environment. */
export function isResolvedByStore(ctx: CallContext, isWrite: boolean): boolean {
  const { kind } = ctx.app.platform.identity;
  return kind === 'mark' || (kind === 'conversation' && isWrite) || !!ctx.app.agentSessions || namesConversation(ctx);
}

/** Returns true if the request or the input of a hook names the conversation. */
export const namesConversation = ({ call, hookInput }: CallContext): boolean => !!(call.conversation || hookInput);

/** Looks up the session for an operation that does not need a store. Without a readable store the call has no session. Help,
 *  the version and calls with invalid parameters do not connect to a server for it. */
export async function identifyQuietly(ctx: CallContext): Promise<void> {
  const { app, call } = ctx;
  ctx.caller = { ...ctx.caller, ...(call.session ? { session: call.session } : {}) };
  if (!app.platform.getProject()) return;
  try {
    if ((ctx.operation.needs === 'nothing' || !ctx.isParsed) && app.wouldConnect()) return;
    await (await app.openStore('read')).read((reads) => identify(ctx, reads));
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

/** Only operations on sessions accept a session that is not active: they show it or resume it. */
const isAboutSessions = (operation: Operation): boolean => getNamespace(operation.name) === 'session';

/** Returns the session that the call names, else the agent's session in this process, else the one in the environment. */
function getNamedSession({ app, call, caller }: CallContext): SessionReference | undefined {
  if (call.session) return { id: call.session, by: 'call' };
  const id = app.agentSessions?.get(caller.agent) ?? app.platform.caller.session;
  return id === undefined ? undefined : { id, by: 'environment' };
}
