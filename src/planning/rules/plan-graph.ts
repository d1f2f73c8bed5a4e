import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import type { PlanTask, PlanWork } from '#tasks/model/open-work.ts';

// The graph orders two moments of each task, its start and its finish, as tasks/rules/order.ts does. A moment is a number derived from
// the index of the task, because a plan may have ten thousand tasks.
export const getStart = (task: number): number => 2 * task;
export const getFinish = (task: number): number => 2 * task + 1;
export const getTask = (moment: number): number => moment >> 1;

export interface PlanGraph {
  tasks: PlanTask[];
  seq: number[];
  /** Index of the parent, or -1. */
  parent: Int32Array;
  /** Own dependencies of each task, ordered by id. */
  depends: TaskId[][];
  findIndex(id: TaskId): number | undefined;
  isInside: Uint8Array;
  isWork: Uint8Array;
  /** Containers without open tasks. */
  isEmpty: Uint8Array;
  external: Map<TaskId, number[]>;
  /** The moments after moment `m` are `after[from[m]]` up to `after[from[m + 1]]`, exclusive. */
  from: Int32Array;
  after: Int32Array;
  /** Number of moments that each moment waits for. */
  waitCounts: Int32Array;
}

export function buildPlanGraph({ tasks: openTasks, ancestors, depends: dependencies }: PlanWork): PlanGraph {
  const indexes = new Map<TaskId, number>();
  const tasks: PlanTask[] = [];
  for (const task of openTasks)
    if (!indexes.has(task.id)) {
      indexes.set(task.id, tasks.length);
      tasks.push(task);
    }
  const parent = Int32Array.from(tasks, ({ parentId }) => (parentId === undefined ? -1 : (indexes.get(parentId) ?? -1)));
  const outside = new Set(ancestors);
  const isInside = Uint8Array.from(tasks, ({ id }) => Number(!outside.has(id)));
  const children = new Int32Array(tasks.length);
  for (const at of parent) if (at >= 0) children[at]!++;
  const isLeaf = (i: number): boolean => isInside[i] === 1 && children[i] === 0;
  const isWork = Uint8Array.from(tasks, ({ type }, i) => Number(isLeaf(i) && (type === 'task' || type === 'subtask')));
  const isEmpty = Uint8Array.from(tasks, (_, i) => Number(isLeaf(i) && !isWork[i]));

  const depends: TaskId[][] = tasks.map(() => []);
  const external: PlanGraph['external'] = new Map();
  // Pairs of moments; the first has to come before the second.
  const pairs: number[] = [];
  for (let i = 0; i < tasks.length; i++) {
    pairs.push(getStart(i), getFinish(i));
    if (parent[i]! < 0) continue;
    pairs.push(getStart(parent[i]!), getStart(i));
    if (isInside[i]) pairs.push(getFinish(i), getFinish(parent[i]!));
  }
  for (const { taskId, dependsOn } of dependencies) {
    const i = indexes.get(taskId);
    if (i === undefined) continue;
    const on = indexes.get(dependsOn);
    depends[i]!.push(dependsOn);
    if (on !== undefined && isInside[on]) pairs.push(getFinish(on), getStart(i));
    else if (external.get(dependsOn)?.push(i) === undefined) external.set(dependsOn, [i]);
  }
  for (const own of depends) if (own.length > 1) own.sort((a, b) => toTaskNumber(a) - toTaskNumber(b));
  return {
    tasks,
    seq: tasks.map(({ id }) => toTaskNumber(id)),
    parent,
    depends,
    findIndex: (id) => indexes.get(id),
    isInside,
    isWork,
    isEmpty,
    external,
    ...buildAdjacency(2 * tasks.length, pairs),
  };
}

function buildAdjacency(count: number, pairs: number[]): Pick<PlanGraph, 'from' | 'after' | 'waitCounts'> {
  const from = new Int32Array(count + 1);
  const waitCounts = new Int32Array(count);
  for (let p = 0; p < pairs.length; p += 2) {
    from[pairs[p]! + 1]!++;
    waitCounts[pairs[p + 1]!]!++;
  }
  for (let m = 0; m < count; m++) from[m + 1]! += from[m]!;
  const next = from.slice();
  const after = new Int32Array(pairs.length / 2);
  for (let p = 0; p < pairs.length; p += 2) after[next[pairs[p]!]!++] = pairs[p + 1]!;
  return { from, after, waitCounts };
}

/** Limit of every walk to the top of the hierarchy, which has four levels. In a damaged store tasks may contain each other. */
export const maxHierarchyDepth = 10;

/** Lists the task itself, its parent, and so on up to the top. */
export function listAncestors(task: number, parent: Int32Array): number[] {
  const chain: number[] = [];
  for (let at = task; at >= 0 && chain.length < maxHierarchyDepth; at = parent[at]!) chain.push(at);
  return chain;
}
