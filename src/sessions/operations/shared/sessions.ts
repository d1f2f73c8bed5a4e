import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { parseTaskId, type TaskId, type TaskType } from '#core/model/scalars.ts';
import type { Scope } from '#core/model/session-handle.ts';
import { defined } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import type { ReadStore } from '#store/port/store.ts';
import '#tasks/errors.ts';
import { areScopesOverlapping, canScope, formatScope, isSameScope, parseScope } from '#tasks/rules/scope.ts';
import '../../errors.ts';
import type { Handoff, SessionRecord } from '../../model/session.ts';

export async function requireSession(store: ReadStore, id: string): Promise<SessionRecord> {
  const session = await store.sessions.get(id);
  if (session) return session;
  throw await createSessionNotFoundError(store, id);
}

/** Suggests similar ids. Without any session there is nothing to list. */
export async function createSessionNotFoundError(store: ReadStore, sessionId: string): Promise<CleoError> {
  const known = (await store.sessions.list(undefined, { limit: 200, offset: 0 })).map(({ id }) => id);
  const fix = known.length > 0 ? {} : { fix: 'cleo help session start' };
  return new CleoError('E_SESSION_NOT_FOUND', { sessionId, suggestions: findNearest(sessionId, known), ...fix });
}

/** Returns the caller's session, for commands that close a session. Throws if the call belongs to no session. */
export async function requireOwnSession(
  { session, activeSessions, isAmbiguous, store, caller, commandWith }: MutationContext,
  act: string,
): Promise<SessionRecord> {
  if (!session && caller.session) {
    const own = (await store.sessions.findCandidates(caller.agent, undefined)).filter(({ isMine }) => isMine);
    const retry = own.map(({ id }) => `${commandWith({})} --session ${id}`);
    throw new CleoError('E_SESSION_REQUIRED', { act, unknownSession: caller.session.slice(0, 60), ...(retry.length > 0 ? { retry } : {}) });
  }
  if (!session && isAmbiguous) {
    const retry = activeSessions?.map((id) => `${commandWith({})} --session ${id}`);
    throw new CleoError('E_SESSION_REQUIRED', { act, ...defined({ activeSessions, retry }) });
  }
  if (!session && activeSessions?.length === 1) throw new CleoError('E_SESSION_REQUIRED', { act, otherAgentsSession: activeSessions[0]! });
  if (!session) throw new CleoError('E_SESSION_REQUIRED', { act, ...defined({ activeSessions }) });
  return requireSession(store, session.id);
}

/** Parses a scope whose root is named by its id in another tool, such as `epic:bd-a1`. */
async function parseAliasScope(store: ReadStore, text: string): Promise<Scope | undefined> {
  const [, kind, name = ''] = /^(\w+):(.+)$/.exec(text) ?? [];
  const { findTasksByAlias } = await import('#tasks/operations/shared/aliases.ts');
  const id = (await findTasksByAlias(store, [name])).get(name);
  return id === undefined ? undefined : parseScope(`${kind}:${id}`);
}

/** Parses a scope and checks that its root exists and has the right type; throws E_SCOPE_INVALID (33). */
export async function resolveScope(store: ReadStore, text: string | undefined, retry: (scope: string) => string): Promise<Scope> {
  const createScopeError = (details: { scope?: string; problem: string }, fix = 'global') =>
    new CleoError('E_SCOPE_INVALID', { ...details, fix: retry(fix) });
  if (text === undefined) throw createScopeError({ problem: 'A session needs a scope: epic:T001, saga:T001, task:T001 or global' });
  const scope = parseScope(text) ?? (await parseAliasScope(store, text));
  // `T001` means that task with everything below it.
  const [named] = scope ? [] : await store.tasks.getAncestry(parseTaskId(text.split(':').at(-1) ?? '') ?? '');
  if (!scope && named)
    throw createScopeError(
      { scope: text.slice(0, 100), problem: `${JSON.stringify(text.slice(0, 100))} has no kind; ${named.id} has type ${named.type}` },
      suggestScope(named),
    );
  if (!scope)
    throw createScopeError({
      scope: text.slice(0, 100),
      problem: `${JSON.stringify(text.slice(0, 100))} is not a scope; use epic:T001, saga:T001, task:T001 or global`,
    });
  if (scope.root === undefined) return scope;
  const [root] = await store.tasks.getAncestry(scope.root);
  if (!root) throw createScopeError({ scope: formatScope(scope), problem: `There is no ${scope.kind} ${scope.root}` });
  if (canScope(scope.kind, root.type)) return scope;
  const problem = `${scope.root} has type ${root.type}, not ${scope.kind}`;
  throw createScopeError({ scope: formatScope(scope), problem }, suggestScope(root));
}

/** Returns the scope of a task with everything below it. */
export const suggestScope = ({ id, type }: { id: TaskId; type: TaskType }): string =>
  formatScope({ kind: type === 'subtask' ? 'task' : type, root: id });

/** Checks whether the agent may have an active session with this scope: no other active session has the same scope (30), the agent is
 *  in no other one (67), and no scope overlaps (32). */
export async function checkMayStart(ctx: MutationContext, scope: Scope, except?: string): Promise<void> {
  const { store } = ctx;
  const others = (await store.sessions.listActive()).filter(({ id }) => id !== except);
  const same = others.find((other) => isSameScope(other.scope, scope));
  if (same) throw new CleoError('E_SESSION_EXISTS', { sessionId: same.id, scope: formatScope(scope) });
  await checkExclusive(ctx, except);
  const ancestry = await getAncestry(store, scope.root);
  for (const other of others)
    if (areScopesOverlapping(scope, ancestry, other.scope, await getAncestry(store, other.scope.root)))
      throw new CleoError('E_SCOPE_CONFLICT', {
        sessionId: other.id,
        scope: formatScope(scope),
        other: formatScope(other.scope),
        agents: await store.sessions.listAgents(other.id),
      });
}

/** Throws (67) if the agent is in another active session and `session.exclusive` is set. */
export async function checkExclusive({ store, caller, config, commandWith }: MutationContext, except?: string): Promise<void> {
  if (!config['session.exclusive']) return;
  for (const { id } of await store.sessions.listActive())
    if (id !== except && (await store.sessions.listAgents(id)).includes(caller.agent))
      throw new CleoError('E_CONCURRENT_SESSION', {
        sessionId: id,
        agent: caller.agent,
        retry: commandWith({}).replace(/ --agent \S+/, ''),
      });
}

/** Creates a session and attaches the caller. Throws if the scope is taken (30, 32) or the agent is in another session (67). */
export async function startSession(
  ctx: MutationContext,
  scope: Scope,
  { name, phase, grade = false }: { name?: string | undefined; phase?: string | undefined; grade?: boolean | undefined },
): Promise<SessionRecord> {
  const { store, now, caller, platform } = ctx;
  await checkMayStart(ctx, scope);
  const session: SessionRecord = {
    id: `session-${Date.parse(now)}-${platform.randomHex(6)}`,
    ...defined({ name, phase }),
    scope,
    status: 'active',
    isGraded: grade,
    startedBy: caller.agent,
    startedAt: now,
    updatedAt: now,
  };
  await store.sessions.insert(session);
  await store.sessions.attach(session.id, caller.agent, now);
  return session;
}

export const formatExports = ({ id, isGraded }: SessionRecord): string =>
  [`export CLEO_SESSION_ID=${id}`, ...(isGraded ? ['export CLEO_SESSION_GRADE=true', `export CLEO_SESSION_GRADE_ID=${id}`] : [])].join(
    '\n',
  );

/** Lists blocked tasks below `root`, or all blocked tasks. */
export async function listBlockedTasks(store: ReadStore, root: TaskId | undefined): Promise<Handoff['blocked']> {
  const blocked = await store.tasks.listBlocked();
  if (root === undefined || blocked.length === 0) return blocked;
  const inside = new Set([root, ...(await store.tasks.listDescendants(root)).map(({ id }) => id)]);
  return blocked.filter(({ id }) => inside.has(id));
}

const getAncestry = async (store: ReadStore, root: TaskId | undefined): Promise<{ id: TaskId }[]> =>
  root === undefined ? [] : store.tasks.getAncestry(root);
