import { canonicalId, type TaskId, type TaskType } from '#core/model/scalars.ts';
import type { Scope, ScopeKind } from '#core/model/session-handle.ts';

const kinds: readonly string[] = ['global', 'saga', 'epic', 'task'] satisfies ScopeKind[];

/** `global`, `epic:T1`, `saga:T1`, `task:T1`; undefined where it is none of them. */
export function parseScope(text: string): Scope | undefined {
  const [kind = '', root, more] = text.trim().split(':');
  if (!kinds.includes(kind) || more !== undefined) return undefined;
  if (kind === 'global') return root === undefined ? { kind } : undefined;
  const id = root === undefined ? undefined : canonicalId(root);
  return id === undefined ? undefined : { kind: kind as ScopeKind, root: id };
}

export const scopeText = ({ kind, root }: Scope): string => (root ? `${kind}:${root}` : kind);

/** A subtask is a task to those who work on it. */
export const fitsScope = (kind: ScopeKind, type: TaskType): boolean => type === kind || (kind === 'task' && type === 'subtask');

export const isSameScope = (a: Scope, b: Scope): boolean => a.kind === b.kind && a.root === b.root;

/** Whether a task, given with everything it is inside of, lies within the scope. */
export const isInScope = (scope: Scope, ancestry: readonly { id: TaskId }[]): boolean =>
  scope.root === undefined || ancestry.some(({ id }) => id === scope.root);

/** Whether one contains the other, told by what their roots are inside of. The global scope gets in nobody's way. */
export function overlaps(a: Scope, aboveA: readonly { id: TaskId }[], b: Scope, aboveB: readonly { id: TaskId }[]): boolean {
  return a.root !== undefined && b.root !== undefined && (isInScope(a, aboveB) || isInScope(b, aboveA));
}

/** The scope that would have held the task: its epic, else itself. */
export function scopeFor(ancestry: readonly { id: TaskId; type: TaskType }[]): { scope: Scope; epicId?: TaskId } {
  const epic = ancestry.find(({ type }) => type === 'epic');
  if (epic) return { scope: { kind: 'epic', root: epic.id }, epicId: epic.id };
  const [self] = ancestry;
  if (!self) return { scope: { kind: 'global' } };
  return { scope: { kind: self.type === 'saga' ? 'saga' : 'task', root: self.id } };
}
