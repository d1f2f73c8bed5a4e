import type { TaskId, TaskType } from '#core/model/scalars.ts';
import { addToList, groupBy } from '#lib/collections.ts';
import { canBePlaced, getChildTier, sortParentsFirst } from '#tasks/rules/hierarchy.ts';

/** A task of the file, before it gets its position. */
export interface IncomingTask {
  id: TaskId;
  /** Undefined at the top level. */
  parentId: TaskId | undefined;
  hint: TaskType | undefined;
  /** True for a new task and for one whose parent or type changed in the source; the others keep their parent and tier. */
  canMove: boolean;
}

interface HierarchyPosition {
  type: TaskType;
  parentId?: TaskId | undefined;
}

export interface HierarchyPositions {
  positions: Map<TaskId, HierarchyPosition>;
  /** Tasks placed next to the parent they have in the source, because that parent cannot contain tasks. */
  flattened: { id: TaskId; inside: TaskId }[];
  /** Tasks moved to the top level to break a cycle of parents. */
  detached: TaskId[];
  /** Tasks that keep their stored position, because their stored children would not fit below the new tier. */
  kept: TaskId[];
}

/** Finds a valid position for each task of a file among the stored tasks; tiers follow from the depth of the file. A task becomes a saga
 *  only if all its children become epics with children, because `next` never recommends an empty epic. */
export function placeTasks(incoming: IncomingTask[], stored: Map<TaskId, HierarchyPosition>): HierarchyPositions {
  const nodes = new Map<TaskId, IncomingTask>();
  for (const node of incoming) nodes.set(node.id, node);
  const result: HierarchyPositions = { positions: new Map(), flattened: [], detached: [], kept: [] };
  const parentOf = new Map<TaskId, TaskId | undefined>();
  for (const { id, parentId } of incoming) parentOf.set(id, parentId);
  const getParent = (id: TaskId): TaskId | undefined => (parentOf.has(id) ? parentOf.get(id) : stored.get(id)?.parentId);
  breakParentCycles(incoming, getParent, (id) => {
    parentOf.set(id, undefined);
    result.detached.push(id);
  });
  const ids = [...nodes.keys()];
  const order = sortParentsFirst(
    ids,
    ids.map((id) => parentOf.get(id)),
  );
  const childrenOf = groupBy(order, (id) => parentOf.get(id));
  const storedChildTypes = groupStoredChildTypes(nodes, stored);
  const heights = computeHeights(order, parentOf);
  const getPosition = (id: TaskId): HierarchyPosition | undefined => result.positions.get(id) ?? stored.get(id);
  const getType = (id: TaskId): TaskType | undefined => getPosition(id)?.type;

  for (const id of order) {
    const node = nodes.get(id)!;
    const before = stored.get(id);
    const givenParent = parentOf.get(id);
    let parent = givenParent;
    while (parent && getType(parent) === 'subtask') parent = getPosition(parent)?.parentId;
    const parentType = parent ? getType(parent) : undefined;
    const staysPut = before && canBePlaced(before.type, parentType) && !(node.canMove && !parent);
    const tier = staysPut
      ? before.type
      : parentType
        ? getChildTier(parentType)
        : chooseRootTier(node, childrenOf.get(id) ?? [], nodes, heights);
    if (before && tier !== before.type && (storedChildTypes.get(id) ?? []).some((type) => !canBePlaced(type, tier))) {
      result.positions.set(id, before);
      result.kept.push(id);
      continue;
    }
    if (parent !== givenParent && givenParent) result.flattened.push({ id, inside: givenParent });
    result.positions.set(id, { type: tier, parentId: parent });
  }
  // Only now are all tiers known: the stored parent may have got a tier that the task does not fit below.
  for (const id of result.kept) {
    const { type, parentId } = stored.get(id)!;
    result.positions.set(id, { type, ...(parentId && canBePlaced(type, getType(parentId)) ? { parentId } : {}) });
  }
  return result;
}

function chooseRootTier(node: IncomingTask, children: TaskId[], nodes: Map<TaskId, IncomingTask>, heights: Map<TaskId, number>): TaskType {
  const levels = heights.get(node.id) ?? 1;
  const isEpic = (id: TaskId): boolean => nodes.get(id)?.hint === 'epic';
  const holdsEpics = children.length > 0 && children.every((id) => isEpic(id) || (heights.get(id) ?? 1) > 1);
  if ((levels > 3 || children.some(isEpic)) && holdsEpics) return 'saga';
  if (levels === 1 && node.hint === 'saga') return 'saga';
  return levels > 2 || node.hint === 'epic' || node.hint === 'saga' ? 'epic' : 'task';
}

/** Detaches one task of the file from each cycle of parents. Stored tasks alone form no cycle. */
function breakParentCycles(incoming: IncomingTask[], getParent: (id: TaskId) => TaskId | undefined, detach: (id: TaskId) => void): void {
  const incomingIds = new Set<TaskId>();
  for (const { id } of incoming) incomingIds.add(id);
  const state = new Map<TaskId, 'open' | 'done'>();
  for (const { id } of incoming) {
    const chain: TaskId[] = [];
    for (let up: TaskId | undefined = id; up !== undefined && state.get(up) !== 'done'; up = getParent(up)) {
      if (state.get(up) === 'open') {
        detach(chain.slice(chain.indexOf(up)).findLast((ancestor) => incomingIds.has(ancestor))!);
        break;
      }
      state.set(up, 'open');
      chain.push(up);
    }
    for (const visited of chain) state.set(visited, 'done');
  }
}

/** Collects the tiers of stored children that are not in the file, by parent. */
function groupStoredChildTypes(nodes: Map<TaskId, IncomingTask>, stored: Map<TaskId, HierarchyPosition>): Map<TaskId, TaskType[]> {
  const types = new Map<TaskId, TaskType[]>();
  for (const [id, { type, parentId }] of stored) if (parentId && nodes.has(parentId) && !nodes.has(id)) addToList(types, parentId, type);
  return types;
}

/** Counts the levels below each task, including itself. */
function computeHeights(order: TaskId[], parentOf: Map<TaskId, TaskId | undefined>): Map<TaskId, number> {
  const height = new Map<TaskId, number>();
  for (const id of order) height.set(id, 1);
  for (const id of order.toReversed()) {
    const parent = parentOf.get(id);
    if (parent && height.has(parent)) height.set(parent, Math.max(height.get(parent)!, 1 + height.get(id)!));
  }
  return height;
}
