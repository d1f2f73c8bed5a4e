import type { QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { scopeText } from '../../rules/scope.ts';
import { checkHolder } from './moves.ts';

type Here = Pick<QueryContext, 'store' | 'now' | 'caller' | 'config' | 'session' | 'commandAs'>;

/** Refuses a move by which something held would leave the scope it is held in (35), or one active session come to lie inside another (32). */
export async function checkSessionsAround(ctx: Here, moved: TaskId, above: { id: TaskId }[]): Promise<void> {
  const { store } = ctx;
  const inside = new Set([moved, ...(await store.tasks.descendants(moved)).map(({ id }) => id)]);
  const isAbove = (root: TaskId): boolean => above.some(({ id }) => id === root);
  for (const { taskId, session } of await store.claims.among([...inside])) {
    const root = session && (await store.sessions.get(session))?.scope.root;
    if (root && !inside.has(root) && !isAbove(root)) await checkHolder(ctx, taskId);
  }
  const active = await store.sessions.active();
  const inner = active.find(({ scope }) => scope.root && inside.has(scope.root));
  const outer = inner && active.find(({ scope }) => scope.root && isAbove(scope.root));
  if (!outer) return;
  throw new CleoError('E_SCOPE_CONFLICT', {
    moved,
    sessionId: outer.id,
    scope: scopeText(inner.scope),
    other: scopeText(outer.scope),
    agents: await store.sessions.agents(outer.id),
    // What its agents hold stays theirs meanwhile.
    fix: `cleo session suspend --session ${inner.id}`,
  });
}
