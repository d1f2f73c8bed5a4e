import { CleoError } from '#core/errors/error.ts';
import type { TaskId, TaskType } from '#core/model/scalars.ts';

interface TypedTask {
  id: TaskId;
  type: TaskType;
}

const allowedParents: Record<TaskType, TaskType[]> = { saga: [], epic: ['saga'], task: ['epic'], subtask: ['task'] };
const childTiers: Record<TaskType, TaskType> = { saga: 'epic', epic: 'task', task: 'subtask', subtask: 'subtask' };

/** Returns the default tier of a new child. */
export const getChildTier = (parent: TaskType | undefined): TaskType => (parent ? childTiers[parent] : 'task');

/** Without a parent type: at the top level. */
export const canBePlaced = (type: TaskType, parent: TaskType | undefined): boolean =>
  parent ? allowedParents[type].includes(parent) : type !== 'subtask';

/** Decides whether a new task without a parent becomes a child of the scope's root. It does if its tier is the one below the root, or
 *  if it has no tier and the root is not a saga. */
export function isDefaultParent(root: TypedTask | undefined, type: TaskType | undefined): boolean {
  const childTier = getChildTier(root?.type);
  return root !== undefined && (type === childTier || (type === undefined && childTier !== 'epic'));
}

export interface Placement {
  /** Undefined for a new task. */
  id?: TaskId;
  type: TaskType;
  /** The parent, then its ancestors; empty at the top level. */
  ancestry: TypedTask[];
  openSiblings: number;
  maxSiblings: number;
  /** Only open children count towards `maxSiblings`. */
  isOpen: boolean;
}

/** Enforces the parent matrix: a saga contains epics, an epic tasks, a task subtasks. Only subtasks need a parent. */
export function checkPlacement({ id, type, ancestry, openSiblings, maxSiblings, isOpen }: Placement): void {
  const parent = ancestry[0];
  if (parent?.type === 'subtask' && ancestry[1]?.type === 'task' && ancestry[2]?.type === 'epic')
    throw new CleoError('E_DEPTH_EXCEEDED', { parent: parent.id });
  if (!canBePlaced(type, parent?.type)) {
    const allowed = allowedParents[type][0];
    throw new CleoError('E_INVALID_PARENT_TYPE', {
      child: type,
      parent: parent?.id ?? 'top',
      parentType: parent?.type ?? 'level',
      allowed: allowed ?? 'none',
      fix: allowed ? `cleo list --type ${allowed}` : `cleo show ${id ?? parent?.id}`,
    });
  }
  const isLimited = parent && parent.type !== 'saga' && maxSiblings > 0 && isOpen;
  if (isLimited && openSiblings >= maxSiblings) throw new CleoError('E_SIBLING_LIMIT', { parent: parent.id, max: maxSiblings });
}

/** A task can change its tier only if its children still fit below it. */
export function checkChildren(parent: TypedTask, children: TypedTask[]): void {
  for (const child of children)
    checkPlacement({ id: child.id, type: child.type, ancestry: [parent], openSiblings: 0, maxSiblings: 0, isOpen: false });
}

/** Sorts parents before children. Most lists are in this order already. `parents` has the parent of each task, which need not be in the list,
 *  and `indexes` the position of each task. Throws if tasks contain each other. */
export function sortParentsFirst(
  ids: TaskId[],
  parents: (TaskId | undefined)[],
  indexes: Map<TaskId, number> = new Map(ids.map((id, i) => [id, i])),
): TaskId[] {
  if (parents.every((parent, i) => parent === undefined || (indexes.get(parent) ?? -1) < i)) return ids;
  const order: TaskId[] = [];
  const state = new Map<TaskId, 'open' | 'done'>();
  for (const id of ids) {
    const chain: TaskId[] = [];
    for (let up: TaskId | undefined = id; up !== undefined && state.get(up) !== 'done'; ) {
      const index = indexes.get(up);
      if (index === undefined) break;
      if (state.get(up) === 'open')
        throw new CleoError('E_CIRCULAR_REFERENCE', { path: [...chain.slice(chain.indexOf(up)), up], what: 'parent' });
      state.set(up, 'open');
      chain.push(up);
      up = parents[index];
    }
    for (const ancestor of chain.reverse()) {
      state.set(ancestor, 'done');
      order.push(ancestor);
    }
  }
  return order;
}
