import type { TaskId, TaskType } from '#core/model/scalars.ts';
import { fits, tierBelow } from '#tasks/rules/hierarchy.ts';

/** A task of the file on its way to its place. */
export interface Coming {
  id: TaskId;
  /** Where it is to stand; undefined is the top. */
  parentId?: TaskId;
  hint?: TaskType;
  /** New, or moved or turned into something else over there: only such a one changes its place and its tier. */
  isFree: boolean;
}

export interface Place {
  type: TaskType;
  parentId?: TaskId;
}

export interface Places {
  of: Map<TaskId, Place>;
  /** Those that stand beside what they were inside of, and what that was. */
  flattened: { id: TaskId; inside: TaskId }[];
  /** Taken to the top, because they were inside each other. */
  circled: TaskId[];
  /** Stay where they are: with another tier, what was put inside them here would no longer fit. */
  stayed: TaskId[];
}

/** Where each task of a file can stand, given everything that is here already: tiers follow from how deep the file goes.
 *  A saga is made only where it holds nothing but epics, because an epic without anything inside is never up next. */
export function places(coming: Coming[], ctx: Map<TaskId, Place>): Places {
  const nodes = new Map(coming.map((node) => [node.id, node]));
  const result: Places = { of: new Map(), flattened: [], circled: [], stayed: [] };
  const parentOf = new Map(coming.map(({ id, parentId }) => [id, parentId]));
  const above = (id: TaskId): TaskId | undefined => (parentOf.has(id) ? parentOf.get(id) : ctx.get(id)?.parentId);
  cutCircles(coming, above, (id) => {
    parentOf.set(id, undefined);
    result.circled.push(id);
  });
  const order = parentsFirst(coming, parentOf);
  const inside = childrenOf(order, parentOf);
  const ownChildren = childrenHere(nodes, ctx);
  const height = heights(order, parentOf);
  const typeOf = (id: TaskId): TaskType | undefined => (result.of.get(id) ?? ctx.get(id))?.type;

  for (const id of order) {
    const node = nodes.get(id)!;
    const was = ctx.get(id);
    let parent = parentOf.get(id);
    const wanted = parent;
    while (parent && typeOf(parent) === 'subtask')
      parent = result.of.has(parent) ? result.of.get(parent)!.parentId : ctx.get(parent)?.parentId;
    const parentType = parent ? typeOf(parent) : undefined;
    const stays = was && fits(was.type, parentType) && !(node.isFree && !parent);
    const tier = stays ? was.type : parentType ? tierBelow(parentType) : rootTier(node, inside.get(id) ?? [], nodes, height);
    if (was && tier !== was.type && (ownChildren.get(id) ?? []).some((type) => !fits(type, tier))) {
      result.of.set(id, was);
      result.stayed.push(id);
      continue;
    }
    if (parent !== wanted && wanted) result.flattened.push({ id, inside: wanted });
    result.of.set(id, { type: tier, ...(parent ? { parentId: parent } : {}) });
  }
  // Once every tier is settled: where it was may have become something that it does not fit into.
  for (const id of result.stayed) {
    const { type, parentId } = ctx.get(id)!;
    result.of.set(id, { type, ...(parentId && fits(type, typeOf(parentId)) ? { parentId } : {}) });
  }
  return result;
}

function rootTier(node: Coming, children: TaskId[], nodes: Map<TaskId, Coming>, height: Map<TaskId, number>): TaskType {
  const levels = height.get(node.id) ?? 1;
  const isEpic = (id: TaskId): boolean => nodes.get(id)?.hint === 'epic';
  const holdsEpics = children.length > 0 && children.every((id) => isEpic(id) || (height.get(id) ?? 1) > 1);
  if ((levels > 3 || children.some(isEpic)) && holdsEpics) return 'saga';
  if (levels === 1 && node.hint === 'saga') return 'saga';
  return levels > 2 || node.hint === 'epic' || node.hint === 'saga' ? 'epic' : 'task';
}

/** Cuts loose, of each circle of tasks that are inside each other, one of the file: everything here was in order before. */
function cutCircles(coming: Coming[], above: (id: TaskId) => TaskId | undefined, cut: (id: TaskId) => void): void {
  const isComing = new Set(coming.map(({ id }) => id));
  const state = new Map<TaskId, 'open' | 'done'>();
  for (const { id } of coming) {
    const chain: TaskId[] = [];
    for (let up: TaskId | undefined = id; up !== undefined && state.get(up) !== 'done'; up = above(up)) {
      if (state.get(up) === 'open') {
        cut(chain.slice(chain.indexOf(up)).findLast((one) => isComing.has(one))!);
        break;
      }
      state.set(up, 'open');
      chain.push(up);
    }
    for (const one of chain) state.set(one, 'done');
  }
}

function parentsFirst(coming: Coming[], parentOf: Map<TaskId, TaskId | undefined>): TaskId[] {
  const order = new Set<TaskId>();
  for (const { id } of coming) {
    const chain: TaskId[] = [];
    for (let up: TaskId | undefined = id; up !== undefined && parentOf.has(up) && !order.has(up); up = parentOf.get(up)) chain.push(up);
    for (const one of chain.reverse()) order.add(one);
  }
  return [...order];
}

function childrenOf(order: TaskId[], parentOf: Map<TaskId, TaskId | undefined>): Map<TaskId, TaskId[]> {
  const inside = new Map<TaskId, TaskId[]>();
  for (const id of order) {
    const parent = parentOf.get(id);
    if (parent) push(inside, parent, id);
  }
  return inside;
}

/** The tiers of what stands inside tasks of the file without being of the file itself. */
function childrenHere(nodes: Map<TaskId, Coming>, ctx: Map<TaskId, Place>): Map<TaskId, TaskType[]> {
  const found = new Map<TaskId, TaskType[]>();
  for (const [id, { type, parentId }] of ctx) if (parentId && nodes.has(parentId) && !nodes.has(id)) push(found, parentId, type);
  return found;
}

/** How many levels stand below each, itself included. */
function heights(order: TaskId[], parentOf: Map<TaskId, TaskId | undefined>): Map<TaskId, number> {
  const height = new Map(order.map((id) => [id, 1]));
  for (const id of order.toReversed()) {
    const parent = parentOf.get(id);
    if (parent && height.has(parent)) height.set(parent, Math.max(height.get(parent)!, 1 + height.get(id)!));
  }
  return height;
}

function push<T>(map: Map<TaskId, T[]>, key: TaskId, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
