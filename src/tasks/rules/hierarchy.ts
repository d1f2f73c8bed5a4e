import { CleoError } from '#core/errors/error.ts';
import type { TaskId, TaskType } from '#core/model/scalars.ts';

interface Place {
  id: TaskId;
  type: TaskType;
}

const allowedParents: Record<TaskType, TaskType[]> = { saga: [], epic: ['saga'], task: ['epic'], subtask: ['task'] };
const childOf: Record<TaskType, TaskType> = { saga: 'epic', epic: 'task', task: 'subtask', subtask: 'subtask' };

/** The tier of a new task that does not name one. */
export const tierBelow = (parent: TaskType | undefined): TaskType => (parent ? childOf[parent] : 'task');

/** Whether a task of this tier may stand below a parent of that one, or, without one, at the top. */
export const fits = (type: TaskType, parent: TaskType | undefined): boolean =>
  parent ? allowedParents[type].includes(parent) : type !== 'subtask';

/** Whether a new task that names no parent goes below this one: an epic or a task takes what names no tier, each takes the tier below it. */
export function isDefaultParent(root: Place | undefined, type: TaskType | undefined): boolean {
  const below = tierBelow(root?.type);
  return root !== undefined && (type === below || (type === undefined && below !== 'epic'));
}

export interface Placement {
  /** The child; new ones have no id yet. */
  id?: TaskId;
  type: TaskType;
  /** The parent first, then its own parents; empty means top level. */
  ancestry: Place[];
  openSiblings: number;
  maxSiblings: number;
  /** Only an open child takes a place among its siblings. */
  isOpen: boolean;
}

/** The parent matrix: a saga holds epics, an epic tasks, a task subtasks; tasks and epics may stand alone. */
export function checkPlacement({ id, type, ancestry, openSiblings, maxSiblings, isOpen }: Placement): void {
  const [parent, ...above] = ancestry;
  if (!parent) {
    if (type === 'subtask')
      throw new CleoError('E_INVALID_PARENT_TYPE', {
        child: type,
        parent: 'top',
        parentType: 'level',
        allowed: 'task',
        fix: 'cleo list --type task',
      });
    return;
  }
  if (parent.type === 'subtask' && above[0]?.type === 'task' && above[1]?.type === 'epic')
    throw new CleoError('E_DEPTH_EXCEEDED', { parent: parent.id });
  if (!allowedParents[type].includes(parent.type)) {
    const allowed = allowedParents[type][0];
    throw new CleoError('E_INVALID_PARENT_TYPE', {
      child: type,
      parent: parent.id,
      parentType: parent.type,
      allowed: allowed ?? 'none',
      fix: allowed ? `cleo list --type ${allowed}` : `cleo show ${id ?? parent.id}`,
    });
  }
  const isLimited = parent.type !== 'saga' && maxSiblings > 0 && isOpen;
  if (isLimited && openSiblings >= maxSiblings) throw new CleoError('E_SIBLING_LIMIT', { parent: parent.id, max: maxSiblings });
}

/** A task that changes its tier takes its children along only where they still fit below it. */
export function checkChildren(parent: Place, children: Place[]): void {
  for (const child of children)
    checkPlacement({ id: child.id, type: child.type, ancestry: [parent], openSiblings: 0, maxSiblings: 0, isOpen: false });
}
