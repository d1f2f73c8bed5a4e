import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import '../../errors.ts';
import { formatScope } from '../../rules/scope.ts';
import { type ClaimContext, checkHolder } from './task-transitions.ts';

/** Rejects a move that would take a claimed task out of its session's scope (exit 35), or put one active session inside another (32). */
export async function checkSessionScopes(ctx: ClaimContext, moved: TaskId, ancestry: { id: TaskId }[]): Promise<void> {
  const { store } = ctx;
  const movedIds = new Set([moved, ...(await store.tasks.listDescendants(moved)).map(({ id }) => id)]);
  const isAncestor = (root: TaskId): boolean => ancestry.some(({ id }) => id === root);
  for (const { taskId, session } of await store.claims.listForTasks([...movedIds])) {
    const root = session && (await store.sessions.get(session))?.scope.root;
    if (root && !movedIds.has(root) && !isAncestor(root)) await checkHolder(ctx, taskId);
  }
  const active = await store.sessions.listActive();
  const inner = active.find(({ scope }) => scope.root && movedIds.has(scope.root));
  const outer = inner && active.find(({ scope }) => scope.root && isAncestor(scope.root));
  if (!outer) return;
  const suspend = `cleo session suspend --session ${inner.id}`;
  const isOwn = [inner.startedBy, ...(await store.sessions.listAgents(inner.id))].includes(ctx.caller.agent);
  throw new CleoError('E_SCOPE_CONFLICT', {
    moved,
    sessionId: outer.id,
    scope: formatScope(inner.scope),
    other: formatScope(outer.scope),
    agents: await store.sessions.listAgents(outer.id),
    // A suspended session keeps its claims. Only a person suspends the session of another agent.
    fix: isOwn || (await ctx.mayHaveScope('decide')) ? suspend : askPerson(suspend),
  });
}
