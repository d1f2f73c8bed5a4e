import { type Priority, type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { PlanWork } from '#tasks/model/open-work.ts';
import { buildPlanGraph, getFinish, getStart, getTask, listAncestors, type PlanGraph } from './plan-graph.ts';

/** Reason why a task is in no wave. `via` is the container that the reason comes from, if it is not the task itself. */
export type BlockReason = { via?: TaskId } & (
  | { kind: 'stated'; text?: string }
  /** Waits for a task outside the root. */
  | { kind: 'external'; on: TaskId }
  /** Waits for a task inside the root that is in no wave. */
  | { kind: 'waits'; on: TaskId }
  /** Waits for a container without open tasks. No wave finishes it; it has to be completed. */
  | { kind: 'unfinished'; on: TaskId }
);

export interface Waves {
  /** The tasks of each wave, highest priority first, then by id. */
  waves: TaskId[][];
  /** The longest chain of dependencies through the waves, first task first. */
  criticalPath: TaskId[];
  blocked: { id: TaskId; reasons: BlockReason[] }[];
  /** The first and the last id of a cycle are the same. */
  cycles: TaskId[][];
  /** Open tasks outside the root, and the tasks that wait for them. */
  externalBlockers: { id: TaskId; blocks: TaskId[] }[];
}

/** Groups open work into waves. Tasks of one wave can be done in parallel, and wait only for earlier waves. Work is a task or subtask
 *  without open children. Everything inside a container inherits its dependencies; a dependency on a container is one on all work
 *  inside it. A task that no wave can unblock is blocked, and so is every task that waits for it. */
export function computeWaves(work: PlanWork): Waves {
  const graph = buildPlanGraph(work);
  const { tasks, isWork, seq } = graph;
  const { level, last, isStuck, isUnreached } = walkGraph(graph);
  const found: number[][] = [];
  const blocked: number[] = [];
  for (let i = 0; i < tasks.length; i++) {
    if (!isWork[i]) continue;
    const wave = level[getStart(i)]!;
    if (isStuck[getStart(i)] || isUnreached[getStart(i)]) blocked.push(i);
    else if (found[wave]) found[wave].push(i);
    else found[wave] = [i];
  }
  for (const wave of found) wave.sort((a, b) => priorityOrder[tasks[a]!.priority] - priorityOrder[tasks[b]!.priority] || seq[a]! - seq[b]!);
  blocked.sort((a, b) => seq[a]! - seq[b]!);
  const getId = (i: number): TaskId => tasks[i]!.id;
  const findReasons = createReasonFinder(graph, (i) => isStuck[getFinish(i)] === 1 || isUnreached[getFinish(i)] === 1);
  return {
    waves: found.map((wave) => wave.map(getId)),
    criticalPath: traceCriticalPath(found.at(-1), last, seq).map(getId),
    blocked: blocked.map((i) => ({ id: getId(i), reasons: findReasons(i) })),
    cycles: findCycles(graph, isUnreached),
    externalBlockers: [...graph.external]
      .map(([id, blocks]) => ({ id, blocks: blocks.sort((a, b) => seq[a]! - seq[b]!).map(getId) }))
      .sort((a, b) => toTaskNumber(a.id) - toTaskNumber(b.id)),
  };
}

/** Returns a function that lists the open dependencies of a task: its own, and the first `maxInherited` of each container. */
export function indexOpenWaits(work: PlanWork): (id: TaskId) => { id: TaskId; via?: TaskId }[] {
  const { tasks, parent, depends, findIndex } = buildPlanGraph(work);
  return (id) => {
    const task = findIndex(id);
    if (task === undefined) return [];
    return listAncestors(task, parent).flatMap((at) =>
      at === task
        ? depends[at]!.map((on) => ({ id: on }))
        : depends[at]!.slice(0, maxInherited).map((on) => ({ id: on, via: tasks[at]!.id })),
    );
  };
}

/** Limit of dependencies that a task inherits from one container: both the container's tasks and its dependencies may be many. */
const maxInherited = 10;

const priorityOrder: Record<Priority, number> = { critical: 0, high: 1, medium: 2, low: 3 };

interface WalkResult {
  /** Number of waves before the moment. */
  level: Int32Array;
  /** Index of the work in the previous wave that the moment follows, or -1. Of several, the one with the lowest id. */
  last: Int32Array;
  /** The moment follows something that no wave finishes. */
  isStuck: Uint8Array;
  /** The moment is part of a cycle or follows one. */
  isUnreached: Uint8Array;
}

/** Visits all moments in topological order. */
function walkGraph(graph: PlanGraph): WalkResult {
  const { tasks, from, after, isWork, isEmpty, seq } = graph;
  const count = 2 * tasks.length;
  const waits = graph.waitCounts.slice();
  const level = new Int32Array(count);
  const last = new Int32Array(count).fill(-1);
  const isStuck = new Uint8Array(count);
  for (const blocks of graph.external.values()) for (const i of blocks) isStuck[getStart(i)] = 1;
  for (let i = 0; i < tasks.length; i++) {
    if (tasks[i]!.status === 'blocked') isStuck[getStart(i)] = 1;
    if (isEmpty[i]) isStuck[getFinish(i)] = 1;
  }
  const order = new Int32Array(count);
  let end = 0;
  for (let m = 0; m < count; m++) if (waits[m] === 0) order[end++] = m;
  for (let at = 0; at < end; at++) {
    const moment = order[at]!;
    const task = getTask(moment);
    for (let edge = from[moment]!; edge < from[moment + 1]!; edge++) {
      const next = after[edge]!;
      const isDone = next === moment + 1 && moment === getStart(task) && isWork[task] === 1;
      const reached = level[moment]! + Number(isDone);
      const by = isDone ? task : last[moment]!;
      const isNearer = reached === level[next]! && by >= 0 && (last[next]! < 0 || seq[by]! < seq[last[next]!]!);
      if (reached > level[next]! || isNearer) {
        level[next] = reached;
        last[next] = by;
      }
      if (isStuck[moment]) isStuck[next] = 1;
      if (--waits[next]! === 0) order[end++] = next;
    }
  }
  return { level, last, isStuck, isUnreached: Uint8Array.from(waits, (open) => Number(open > 0)) };
}

/** Walks back from the lowest id of the last wave. */
function traceCriticalPath(lastWave: number[] | undefined, last: Int32Array, seq: number[]): number[] {
  const path: number[] = [];
  let at = lastWave ? lastWave.reduce((a, b) => (seq[b]! < seq[a]! ? b : a)) : -1;
  for (; at >= 0; at = last[getStart(at)]!) path.push(at);
  return path.reverse();
}

/** Returns a function that lists why a task is in no wave: its own reasons, and the first `maxInherited` of each container. */
function createReasonFinder(graph: PlanGraph, isStuck: (task: number) => boolean): (task: number) => BlockReason[] {
  const { tasks, parent, depends, findIndex, isInside, isEmpty } = graph;
  const known = new Map<number, BlockReason[]>();
  const findOwnReasons = (at: number): BlockReason[] => {
    const { status, blockedBy } = tasks[at]!;
    const reasons: BlockReason[] = status === 'blocked' ? [{ kind: 'stated', ...defined({ text: blockedBy }) }] : [];
    for (const id of depends[at]!) {
      const on = findIndex(id);
      if (on === undefined || !isInside[on]) reasons.push({ kind: 'external', on: id });
      else if (isEmpty[on]) reasons.push({ kind: 'unfinished', on: id });
      else if (isStuck(on)) reasons.push({ kind: 'waits', on: id });
    }
    return reasons;
  };
  const findInheritedReasons = (at: number): BlockReason[] => {
    let reasons = known.get(at);
    if (!reasons) {
      const via = tasks[at]!.id;
      reasons = findOwnReasons(at)
        .slice(0, maxInherited)
        .map((reason) => ({ ...reason, via }));
      known.set(at, reasons);
    }
    return reasons;
  };
  return (task) => [
    ...findOwnReasons(task),
    ...listAncestors(task, parent)
      .filter((at) => at !== task)
      .flatMap(findInheritedReasons),
  ];
}

/** Finds cycles among the unreached moments: walks back from each until a moment repeats. */
function findCycles({ tasks, seq, from, after }: PlanGraph, isUnreached: Uint8Array): TaskId[][] {
  const before = new Int32Array(isUnreached.length).fill(-1);
  for (let m = 0; m < isUnreached.length; m++) {
    if (!isUnreached[m]) continue;
    for (let edge = from[m]!; edge < from[m + 1]!; edge++) if (isUnreached[after[edge]!]) before[after[edge]!] = m;
  }
  const starts = [...isUnreached.keys()].filter((m) => isUnreached[m]).sort((a, b) => seq[getTask(a)]! - seq[getTask(b)]! || a - b);
  const visitedFrom = new Int32Array(isUnreached.length).fill(-1);
  const cycles: TaskId[][] = [];
  for (const start of starts) {
    let at = start;
    for (; at >= 0 && visitedFrom[at] === -1; at = before[at]!) visitedFrom[at] = start;
    if (at < 0 || visitedFrom[at] !== start) continue;
    const moments = [at];
    for (let next = before[at]!; next !== at; next = before[next]!) moments.push(next);
    cycles.push(toCycle(moments.map(getTask), seq).map((i) => tasks[i]!.id));
  }
  return cycles;
}

/** Rotates a cycle so that the lowest id comes first, and repeats it at the end. Start and finish of one task count once. */
function toCycle(path: number[], seq: number[]): number[] {
  const once = path.filter((i, at) => i !== path[at === 0 ? path.length - 1 : at - 1]);
  const ring = once.length > 0 ? once : path.slice(0, 1);
  const lowest = ring.reduce((best, i, at) => (seq[i]! < seq[ring[best]!]! ? at : best), 0);
  return [...ring.slice(lowest), ...ring.slice(0, lowest), ring[lowest]!];
}
