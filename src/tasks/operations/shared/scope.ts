import type { QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId, TaskType } from '#core/model/scalars.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import { defined } from '#lib/collections.ts';
import type { Ancestor } from '#store/port/tasks.ts';
import { isDefaultParent } from '../../rules/hierarchy.ts';
import { findScope, formatScope, isInScope } from '../../rules/scope.ts';

type ScopeContext = Pick<QueryContext, 'store' | 'session'>;

/** Rejects (exit 34) a task outside the scope of the caller's session. */
export async function checkScope({ store, session }: ScopeContext, id: TaskId): Promise<void> {
  if (session?.scope.root === undefined || session.scope.root === id) return;
  checkAncestryInScope(session, await store.tasks.getAncestry(id), id);
}

export function checkAncestryInScope(session: SessionHandle | undefined, ancestry: Ancestor[], taskId?: TaskId): void {
  if (!session || isInScope(session.scope, ancestry)) return;
  const { scope, epicId } = findScope(ancestry);
  throw new CleoError('E_TASK_NOT_IN_SCOPE', {
    ...defined({ taskId, epicId }),
    what: taskId ?? 'The top level',
    scope: formatScope(session.scope),
    sessionId: session.id,
    better: formatScope(scope),
  });
}

/** Finds the parent of a new task that names none: the root of the session's scope, if its tier fits. */
export async function findDefaultParent({ store, session }: ScopeContext, type: TaskType | undefined): Promise<TaskId | undefined> {
  const root = session?.scope.root;
  if (root === undefined || !session) return undefined;
  const [self] = await store.tasks.getAncestry(root);
  if (isDefaultParent(self, type)) return root;
  throw new CleoError('E_TASK_NOT_IN_SCOPE', {
    what: `A new ${type ?? 'task'} without a parent`,
    scope: formatScope(session.scope),
    sessionId: session.id,
    ...(self?.type === 'epic' ? { epicId: self.id } : {}),
    better: 'global',
  });
}
