import '../../errors.ts';
import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Scope, SessionHandle } from '#core/model/session-handle.ts';
import { nearest } from '#lib/nearest.ts';
import type { ReadStore } from '#store/port.ts';
import { fitsScope, isSameScope, overlaps, parseScope, scopeText } from '#tasks/rules/scope.ts';
import type { SessionRecord } from '../../model/session.ts';

export async function requireSession(store: ReadStore, id: string): Promise<SessionRecord> {
  const session = await store.sessions.get(id);
  if (session) return session;
  const some = await store.sessions.list(undefined, { limit: 200, offset: 0 });
  throw new CleoError('E_SESSION_NOT_FOUND', {
    sessionId: id,
    near: nearest(
      id,
      some.map((one) => one.id),
    ),
  });
}

type Here = Pick<MutationContext, 'session' | 'isNamed' | 'activeSessions' | 'store' | 'caller'>;

/** The session that a command which closes one means when it names none. */
export async function ownSession(ctx: Here, act: string): Promise<SessionRecord> {
  const { session, activeSessions, store } = ctx;
  if (!session) throw new CleoError('E_SESSION_REQUIRED', { act, ...(activeSessions ? { several: activeSessions } : {}) });
  if (await isAnothers(ctx)) throw new CleoError('E_SESSION_REQUIRED', { act, anothers: session.id });
  return requireSession(store, session.id);
}

/** Whoever has had a session of its own, which is over, does not close another's by saying so once more. */
export async function isAnothers({ session, activeSessions = [], isNamed, store, caller }: Here): Promise<boolean> {
  if (isNamed) return false;
  const own = await store.sessions.joinedBy(caller.agent);
  return own.length > 0 && ![...activeSessions, session?.id].some((id) => id !== undefined && own.includes(id));
}

/** The scope as it was written, or the refusal (33) that says what is wrong with it. */
export async function readScope(store: ReadStore, text: string | undefined, retry: (scope: string) => string): Promise<Scope> {
  if (text === undefined)
    throw new CleoError('E_SCOPE_INVALID', {
      problem: 'A session needs a scope: epic:T001, saga:T001, task:T001 or global',
      fix: retry('global'),
    });
  const scope = parseScope(text);
  if (!scope)
    throw new CleoError('E_SCOPE_INVALID', {
      scope: text.slice(0, 100),
      problem: `${JSON.stringify(text.slice(0, 100))} is no scope; write epic:T001, saga:T001, task:T001 or global`,
      fix: retry('global'),
    });
  if (scope.root === undefined) return scope;
  const [root] = await store.tasks.ancestry(scope.root);
  if (!root)
    throw new CleoError('E_SCOPE_INVALID', {
      scope: scopeText(scope),
      problem: `There is no ${scope.kind} ${scope.root}`,
      fix: retry('global'),
    });
  if (fitsScope(scope.kind, root.type)) return scope;
  const kind = root.type === 'subtask' ? 'task' : root.type;
  throw new CleoError('E_SCOPE_INVALID', {
    scope: scopeText(scope),
    problem: `${scope.root} is a ${root.type}, not a ${scope.kind}`,
    fix: retry(`${kind}:${scope.root}`),
  });
}

/** Refuses a scope that an active session has (30), or overlaps with (32). */
export async function checkFree(store: ReadStore, scope: Scope, except?: string): Promise<void> {
  const others = (await store.sessions.active()).filter(({ id }) => id !== except);
  const same = others.find((other) => isSameScope(other.scope, scope));
  if (same) throw new CleoError('E_SESSION_EXISTS', { sessionId: same.id, scope: scopeText(scope) });
  const above = await aboveOf(store, scope.root);
  for (const other of others)
    if (overlaps(scope, above, other.scope, await aboveOf(store, other.scope.root)))
      throw new CleoError('E_SCOPE_CONFLICT', {
        sessionId: other.id,
        scope: scopeText(scope),
        other: scopeText(other.scope),
        agents: await store.sessions.agents(other.id),
      });
}

/** Refuses (67) an agent a second session, where one at a time is the rule. */
export async function checkAlone(
  { store, caller, config }: Pick<MutationContext, 'store' | 'caller' | 'config'>,
  except?: string,
): Promise<void> {
  if (!config['session.exclusive']) return;
  for (const { id } of await store.sessions.active())
    if (id !== except && (await store.sessions.agents(id)).includes(caller.agent))
      throw new CleoError('E_CONCURRENT_SESSION', { sessionId: id, agent: caller.agent });
}

/** What is blocked in the scope with this root, or anywhere. */
export async function blockedInside(
  store: ReadStore,
  root: TaskId | undefined,
): Promise<{ id: TaskId; title: string; blockedBy?: string }[]> {
  const blocked = await store.tasks.blocked();
  if (root === undefined || blocked.length === 0) return blocked;
  const inside = new Set([root, ...(await store.tasks.descendants(root)).map(({ id }) => id)]);
  return blocked.filter(({ id }) => inside.has(id));
}

const aboveOf = async (store: ReadStore, root: TaskId | undefined): Promise<{ id: TaskId }[]> =>
  root === undefined ? [] : store.tasks.ancestry(root);

export const handleOf = ({ id, status, scope, phase, isGraded }: SessionRecord): SessionHandle => ({
  id,
  status,
  scope,
  ...(phase ? { phase } : {}),
  isGraded,
});
