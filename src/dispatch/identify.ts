import type { Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { chooseSession, type Named } from '#sessions/rules/caller-session.ts';
import type { ReadStore } from '#store/port.ts';
import { type CallContext, namespaceOf } from './call-context.ts';

/** Inside the transaction: which session the call belongs to, and whether it is graded. Asked once for each call. */
export async function identify(work: CallContext, reads: ReadStore): Promise<void> {
  if (work.isIdentified || work.app.isObserver) return;
  work.isIdentified = true;
  const { call, caller, operation } = work;
  const named = namedBy(work);
  const choice = chooseSession(await reads.sessions.candidates(caller.agent, named?.id), named);
  const session = 'session' in choice ? choice.session : 'asleep' in choice && isAboutSessions(operation) ? choice.asleep : undefined;
  const id = session?.id ?? ('tag' in choice ? choice.tag : call.session);
  work.caller = { agent: caller.agent, ...(id ? { session: id } : {}) };
  if (session) work.session = session;
  if (session && session.id === named?.id) work.isNamed = true;
  if (session?.isGraded && session.status === 'active') work.isGraded = true;
  if ('several' in choice) work.activeSessions = choice.several;
  if ('unknown' in choice && operation.needs === 'store') throw new CleoError('E_SESSION_NOT_FOUND', { sessionId: choice.unknown });
}

/** For what runs without a store: where there is none, or none that can be read, the call belongs to no session. */
export async function identifyQuietly(work: CallContext): Promise<void> {
  const { app, call } = work;
  work.caller = { ...work.caller, ...(call.session ? { session: call.session } : {}) };
  if (!app.platform.project()) return;
  try {
    await (await app.openStore('read')).read((reads) => identify(work, reads));
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

/** A write belongs to no session that is over, and to some session where the project asks for one. */
export function checkSession({ session, activeSessions, call, operation, app }: CallContext): void {
  if (session || ungated.includes(namespaceOf(operation.name)) || operation.beginsSession) return;
  if (call.session) throw new CleoError('E_SESSION_REQUIRED', { asleep: call.session });
  const { platform } = app;
  if (platform.config.load(platform.project())['session.required'])
    throw new CleoError('E_SESSION_REQUIRED', activeSessions ? { several: activeSessions } : {});
}

/** Sessions themselves, and the upkeep of the project; beside them what starts one. */
const ungated = ['session', 'admin', 'system'];

/** A session that is over is still what one asks about, resumes, or ends once more. */
const isAboutSessions = (operation: Operation): boolean => namespaceOf(operation.name) === 'session';

/** The call's own word, else the session this process keeps for the agent, else that of its environment. */
function namedBy({ app, call, caller }: CallContext): Named | undefined {
  if (call.session) return { id: call.session, by: 'call' };
  const id = app.agentSessions?.get(caller.agent) ?? app.platform.caller.session;
  return id === undefined ? undefined : { id, by: 'surroundings' };
}
