import type { QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId, TaskType } from '#core/model/scalars.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import type { Ancestor } from '#store/port.ts';
import { isDefaultParent } from '../../rules/hierarchy.ts';
import { isInScope, scopeFor, scopeText } from '../../rules/scope.ts';

type Here = Pick<QueryContext, 'store' | 'session'>;

/** Refuses (34) what lies outside the scope of the caller's session. */
export async function checkScope({ store, session }: Here, id: TaskId): Promise<void> {
  if (session?.scope.root === undefined || session.scope.root === id) return;
  checkPlaceInScope(session, await store.tasks.ancestry(id), id);
}

export function checkPlaceInScope(session: SessionHandle | undefined, ancestry: Ancestor[], taskId?: TaskId): void {
  if (!session || isInScope(session.scope, ancestry)) return;
  const { scope, epicId } = scopeFor(ancestry);
  throw new CleoError('E_TASK_NOT_IN_SCOPE', {
    ...(taskId ? { taskId } : {}),
    what: taskId ?? 'The top level',
    scope: scopeText(session.scope),
    sessionId: session.id,
    ...(epicId ? { epicId } : {}),
    better: scopeText(scope),
  });
}

/** Where a new task without a parent goes: in a session with a scope, under its root, if that may hold one of its type. */
export async function parentInScope({ store, session }: Here, type: TaskType | undefined): Promise<TaskId | undefined> {
  const root = session?.scope.root;
  if (root === undefined || !session) return undefined;
  const [self] = await store.tasks.ancestry(root);
  if (isDefaultParent(self, type)) return root;
  throw new CleoError('E_TASK_NOT_IN_SCOPE', {
    what: `A new ${type ?? 'task'} without a parent`,
    scope: scopeText(session.scope),
    sessionId: session.id,
    ...(self?.type === 'epic' ? { epicId: self.id } : {}),
    better: 'global',
  });
}
