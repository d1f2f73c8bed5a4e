import { parseTaskId, type TaskId, type TaskType } from '#core/model/scalars.ts';
import type { Scope, ScopeKind } from '#core/model/session-handle.ts';

const kinds: readonly string[] = ['global', 'saga', 'epic', 'task'] satisfies ScopeKind[];

/** Parses `global`, `epic:T1`, `saga:T1` or `task:T1`; undefined for anything else. */
export function parseScope(text: string): Scope | undefined {
  const [kind = '', root, more] = text.trim().split(':');
  if (!kinds.includes(kind) || more !== undefined) return undefined;
  if (kind === 'global') return root === undefined ? { kind } : undefined;
  const id = root === undefined ? undefined : parseTaskId(root);
  return id === undefined ? undefined : { kind: kind as ScopeKind, root: id };
}

export const formatScope = ({ kind, root }: Scope): string => (root ? `${kind}:${root}` : kind);

/** A scope of kind `task` can have a subtask as its root. */
export const canScope = (kind: ScopeKind, type: TaskType): boolean => type === kind || (kind === 'task' && type === 'subtask');

export const isSameScope = (a: Scope, b: Scope): boolean => a.kind === b.kind && a.root === b.root;

/** `ancestry`: the task itself, then its ancestors. */
export const isInScope = (scope: Scope, ancestry: readonly { id: TaskId }[]): boolean =>
  scope.root === undefined || ancestry.some(({ id }) => id === scope.root);

/** Two scopes overlap if one contains the root of the other. The global scope overlaps with none. */
export function areScopesOverlapping(a: Scope, aboveA: readonly { id: TaskId }[], b: Scope, aboveB: readonly { id: TaskId }[]): boolean {
  return a.root !== undefined && b.root !== undefined && (isInScope(a, aboveB) || isInScope(b, aboveA));
}

/** Suggests a scope that contains the task: its epic, or the task itself. */
export function findScope(ancestry: readonly { id: TaskId; type: TaskType }[]): { scope: Scope; epicId?: TaskId } {
  const epic = ancestry.find(({ type }) => type === 'epic');
  if (epic) return { scope: { kind: 'epic', root: epic.id }, epicId: epic.id };
  const [self] = ancestry;
  if (!self) return { scope: { kind: 'global' } };
  return { scope: { kind: self.type === 'saga' ? 'saga' : 'task', root: self.id } };
}
