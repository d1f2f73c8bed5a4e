import '#sessions/errors.ts';
import { formatCommand } from '#core/command-line.ts';
import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port/store.ts';
import { isInScope } from '#tasks/rules/scope.ts';
import { type CallContext, getConfig, getNamespace } from './call-context.ts';

/** Rejects a write in a session that is not active, a write that does not say which of the agent's sessions it means, and a write
 *  without a session if the project requires one. */
export async function checkSession(ctx: CallContext, reads: ReadStore, params: Record<string, unknown>): Promise<void> {
  const { session, activeSessions, isAmbiguous, call } = ctx;
  if (session || worksWithoutSession(ctx)) return;
  if (call.session) throw new CleoError('E_SESSION_REQUIRED', { inactiveSession: call.session });
  if (activeSessions && (await enterSessionOfTask(ctx, reads, params))) return;
  if (isAmbiguous) throw createAmbiguityError(ctx, await listSessionsInScope(ctx, reads, params));
  if (getConfig(ctx)['session.required']) throw new CleoError('E_SESSION_REQUIRED', activeSessions ? { activeSessions } : {});
}

/** Chooses the session in which the agent holds the task of the call: one of its own, or the one that it was spawned in. */
async function enterSessionOfTask(ctx: CallContext, reads: ReadStore, { taskId }: Record<string, unknown>): Promise<boolean> {
  const claim = typeof taskId === 'string' ? await reads.claims.get(taskId) : undefined;
  if (!claim?.session || claim.agent !== ctx.caller.agent || !ctx.activeSessions?.includes(claim.session)) return false;
  const session = (await reads.sessions.findCandidates(claim.agent, claim.session)).find(({ id }) => id === claim.session);
  if (!session) return false;
  ctx.session = session;
  ctx.caller = { ...ctx.caller, session: session.id };
  if (session.isGraded) ctx.isGraded = true;
  return true;
}

/** Lists the agent's sessions whose scope contains the task of the call; all of them if none does or the call names no task. */
async function listSessionsInScope(ctx: CallContext, reads: ReadStore, { taskId }: Record<string, unknown>): Promise<string[]> {
  const own = ctx.activeSessions ?? [];
  const ancestry = typeof taskId === 'string' ? await reads.tasks.getAncestry(taskId) : [];
  if (ancestry.length === 0) return own;
  const active = await reads.sessions.findCandidates(ctx.caller.agent, undefined);
  const inside = active.filter(({ id, scope }) => own.includes(id) && isInScope(scope, ancestry)).map(({ id }) => id);
  return inside.length > 0 ? inside : own;
}

/** Creates the error (36) of a call that does not say which of the agent's sessions it means. Its fix names one of `suggested`. */
export function createAmbiguityError({ activeSessions = [], operation, call }: CallContext, suggested = activeSessions): CleoError {
  const agent = call.agent && call.gateway === 'cli' ? ['--agent', call.agent] : [];
  const params = call.params as Record<string, unknown>;
  const retry = suggested.map((id) => formatCommand(operation, params, ['--session', id, ...agent], call.paths));
  return new CleoError('E_SESSION_REQUIRED', { activeSessions, retry });
}

/** Describes the active sessions of other agents to a write outside any session. */
export const listSessionWarnings = (ctx: CallContext): string[] => {
  const { activeSessions, caller } = ctx;
  if (!activeSessions || caller.session || worksWithoutSession(ctx)) return [];
  const shown = activeSessions.slice(0, 3).join(', ');
  const more = activeSessions.length > 3 ? ` and ${activeSessions.length - 3} more` : '';
  return [`written outside any session; active: ${shown}${more} (session resume joins one)`];
};

const worksWithoutSession = ({ operation }: CallContext): boolean =>
  exemptNamespaces.includes(getNamespace(operation.name)) || operation.startsSession === true;

/** Namespaces that work without a session: sessions themselves and the maintenance of the project. */
const exemptNamespaces = ['session', 'admin', 'system'];
