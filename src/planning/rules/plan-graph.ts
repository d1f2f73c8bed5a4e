import { seqOf, type TaskId } from '#core/model/scalars.ts';
import type { PlanTask, PlanWork } from '#tasks/model/open-work.ts';

// A task has two moments, and they are what the order is about: see rules/order.ts. They are numbers here, because a plan may have
// ten thousand tasks.
export const begin = (task: number): number => 2 * task;
export const finish = (task: number): number => 2 * task + 1;
export const taskOf = (moment: number): number => moment >> 1;

export interface Graph {
  tasks: PlanTask[];
  seq: number[];
  /** Number of the parent, -1 where it has none here. */
  parent: Int32Array;
  /** What each waits for, of its own, in order of their numbers. */
  depends: TaskId[][];
  numberOf(id: TaskId): number | undefined;
  isInside: Uint8Array;
  isWork: Uint8Array;
  /** A container with nothing open inside. */
  isEmpty: Uint8Array;
  external: Map<TaskId, number[]>;
  /** Moments after moment `m`: `after[from[m]]` up to `after[from[m + 1]]`. */
  from: Int32Array;
  after: Int32Array;
  /** How many moments each waits for. */
  waits: Int32Array;
}

export function graphOf({ tasks: given, above: outer, depends: edges }: PlanWork): Graph {
  const numbers = new Map<TaskId, number>();
  const tasks: PlanTask[] = [];
  for (const task of given)
    if (!numbers.has(task.id)) {
      numbers.set(task.id, tasks.length);
      tasks.push(task);
    }
  const parent = Int32Array.from(tasks, ({ parentId }) => (parentId === undefined ? -1 : (numbers.get(parentId) ?? -1)));
  const outside = new Set(outer);
  const isInside = Uint8Array.from(tasks, ({ id }) => Number(!outside.has(id)));
  const children = new Int32Array(tasks.length);
  for (const at of parent) if (at >= 0) children[at]!++;
  const isLeaf = (i: number): boolean => isInside[i] === 1 && children[i] === 0;
  const isWork = Uint8Array.from(tasks, ({ type }, i) => Number(isLeaf(i) && (type === 'task' || type === 'subtask')));
  const isEmpty = Uint8Array.from(tasks, (_, i) => Number(isLeaf(i) && !isWork[i]));

  const depends: TaskId[][] = tasks.map(() => []);
  const external: Graph['external'] = new Map();
  // Pairs of moments, the earlier one first.
  const pairs: number[] = [];
  for (let i = 0; i < tasks.length; i++) {
    pairs.push(begin(i), finish(i));
    if (parent[i]! < 0) continue;
    pairs.push(begin(parent[i]!), begin(i));
    if (isInside[i]) pairs.push(finish(i), finish(parent[i]!));
  }
  for (const { taskId, dependsOn } of edges) {
    const i = numbers.get(taskId);
    if (i === undefined) continue;
    const on = numbers.get(dependsOn);
    depends[i]!.push(dependsOn);
    if (on !== undefined && isInside[on]) pairs.push(finish(on), begin(i));
    else if (external.get(dependsOn)?.push(i) === undefined) external.set(dependsOn, [i]);
  }
  for (const own of depends) if (own.length > 1) own.sort((a, b) => seqOf(a) - seqOf(b));
  return {
    tasks,
    seq: tasks.map(({ id }) => seqOf(id)),
    parent,
    depends,
    numberOf: (id) => numbers.get(id),
    isInside,
    isWork,
    isEmpty,
    external,
    ...adjacency(2 * tasks.length, pairs),
  };
}

function adjacency(count: number, pairs: number[]): Pick<Graph, 'from' | 'after' | 'waits'> {
  const from = new Int32Array(count + 1);
  const waits = new Int32Array(count);
  for (let p = 0; p < pairs.length; p += 2) {
    from[pairs[p]! + 1]!++;
    waits[pairs[p + 1]!]!++;
  }
  for (let m = 0; m < count; m++) from[m + 1]! += from[m]!;
  const next = from.slice();
  const after = new Int32Array(pairs.length / 2);
  for (let p = 0; p < pairs.length; p += 2) after[next[pairs[p]!]!++] = pairs[p + 1]!;
  return { from, after, waits };
}

/** Saga, epic, task, subtask; a damaged store must not send us round in circles. */
const deepest = 10;

/** The task and what it is inside of. */
export function above(task: number, parent: Int32Array): number[] {
  const chain: number[] = [];
  for (let at = task; at >= 0 && chain.length < deepest; at = parent[at]!) chain.push(at);
  return chain;
}
