import type { Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { chooseSession, type SessionReference } from '#sessions/rules/caller-session.ts';
import type { ReadStore } from '#store/port/store.ts';
import { type CallContext, getNamespace } from './call-context.ts';

/** Inside the transaction: which session the call belongs to, and whether it is graded. Asked once for each call. */
export async function identify(ctx: CallContext, reads: ReadStore): Promise<void> {
  if (ctx.isIdentified || ctx.app.isObserver) return;
  ctx.isIdentified = true;
  const { call, caller, operation } = ctx;
  const named = getNamedSession(ctx);
  const choice = chooseSession(await reads.sessions.findCandidates(caller.agent, named?.id), named);
  const session = 'session' in choice ? choice.session : 'inactive' in choice && isAboutSessions(operation) ? choice.inactive : undefined;
  const id = session?.id ?? ('tag' in choice ? choice.tag : call.session);
  ctx.caller = { agent: caller.agent, ...(id ? { session: id } : {}) };
  if (session) ctx.session = session;
  if (session && session.id === named?.id) ctx.isNamed = true;
  if (session?.isGraded && session.status === 'active') ctx.isGraded = true;
  if ('ambiguous' in choice) ctx.activeSessions = choice.ambiguous;
  if ('unknown' in choice && operation.needs === 'store') throw new CleoError('E_SESSION_NOT_FOUND', { sessionId: choice.unknown });
}

/** For what runs without a store: where there is none, or none that can be read, the call belongs to no session. */
export async function identifyQuietly(ctx: CallContext): Promise<void> {
  const { app, call } = ctx;
  ctx.caller = { ...ctx.caller, ...(call.session ? { session: call.session } : {}) };
  if (!app.platform.getProject()) return;
  try {
    await (await app.openStore('read')).read((reads) => identify(ctx, reads));
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

/** A write belongs to no session that is over, and to some session where the project asks for one. */
export function checkSession({ session, activeSessions, call, operation, app }: CallContext): void {
  if (session || exemptNamespaces.includes(getNamespace(operation.name)) || operation.startsSession) return;
  if (call.session) throw new CleoError('E_SESSION_REQUIRED', { inactiveSession: call.session });
  const { platform } = app;
  if (platform.config.load(platform.getProject())['session.required'])
    throw new CleoError('E_SESSION_REQUIRED', activeSessions ? { activeSessions } : {});
}

/** Sessions themselves, and the upkeep of the project; beside them what starts one. */
const exemptNamespaces = ['session', 'admin', 'system'];

/** A session that is over is still what one asks about, resumes, or ends once more. */
const isAboutSessions = (operation: Operation): boolean => getNamespace(operation.name) === 'session';

/** The call's own word, else the session this process keeps for the agent, else that of its environment. */
function getNamedSession({ app, call, caller }: CallContext): SessionReference | undefined {
  if (call.session) return { id: call.session, by: 'call' };
  const id = app.agentSessions?.get(caller.agent) ?? app.platform.caller.session;
  return id === undefined ? undefined : { id, by: 'environment' };
}
