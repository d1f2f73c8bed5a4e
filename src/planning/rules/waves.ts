import { type Priority, seqOf, type TaskId } from '#core/model/scalars.ts';
import type { PlanWork } from '#tasks/model/open-work.ts';
import { above, begin, finish, type Graph, graphOf, taskOf } from './plan-graph.ts';

/** Why a task is in no wave. `via` is the container it has the reason from, where it is not its own. */
export type Reason = { via?: TaskId } & (
  | { kind: 'stated'; text?: string }
  /** Something outside the root. */
  | { kind: 'external'; on: TaskId }
  /** Something inside the root that is in no wave itself. */
  | { kind: 'waits'; on: TaskId }
  /** A container with nothing left inside: no wave will finish it, somebody has to complete it. */
  | { kind: 'unfinished'; on: TaskId }
);

export interface Waves {
  /** Each the most urgent first, then by id. */
  waves: TaskId[][];
  /** The longest chain through the waves, in the order it has to be done. */
  criticalPath: TaskId[];
  blocked: { id: TaskId; reasons: Reason[] }[];
  /** First and last the same. */
  cycles: TaskId[][];
  /** What is outside the root and not done, and who waits for it. */
  externalBlockers: { id: TaskId; blocks: TaskId[] }[];
}

/** Open work in waves: what is in one wave can be done side by side, and waits only for the waves before it. Work is a task or subtask
 *  with nothing open inside. What a container waits for, everything inside it waits for; what waits for a container, waits for all its
 *  work. What nothing in the plan can clear the way for is blocked, and so is all that waits for it. */
export function waves(work: PlanWork): Waves {
  const graph = graphOf(work);
  const { tasks, isWork, seq } = graph;
  const { level, last, isStuck, isLeft } = walk(graph);
  const found: number[][] = [];
  const blocked: number[] = [];
  for (let i = 0; i < tasks.length; i++) {
    if (!isWork[i]) continue;
    const wave = level[begin(i)]!;
    if (isStuck[begin(i)] || isLeft[begin(i)]) blocked.push(i);
    else if (found[wave]) found[wave].push(i);
    else found[wave] = [i];
  }
  for (const wave of found) wave.sort((a, b) => urgency[tasks[a]!.priority] - urgency[tasks[b]!.priority] || seq[a]! - seq[b]!);
  blocked.sort((a, b) => seq[a]! - seq[b]!);
  const idOf = (i: number): TaskId => tasks[i]!.id;
  const why = reasonsOf(graph, (i) => isStuck[finish(i)] === 1 || isLeft[finish(i)] === 1);
  return {
    waves: found.map((wave) => wave.map(idOf)),
    criticalPath: pathTo(found.at(-1), last, seq).map(idOf),
    blocked: blocked.map((i) => ({ id: idOf(i), reasons: why(i) })),
    cycles: cyclesOf(graph, isLeft),
    externalBlockers: [...graph.external]
      .map(([id, blocks]) => ({ id, blocks: blocks.sort((a, b) => seq[a]! - seq[b]!).map(idOf) }))
      .sort((a, b) => seqOf(a.id) - seqOf(b.id)),
  };
}

/** What a task waits for that is open: its own depends, and the first of those of whatever contains it. */
export function openWaits(work: PlanWork): (id: TaskId) => { id: TaskId; via?: TaskId }[] {
  const { tasks, parent, depends, numberOf } = graphOf(work);
  return (id) => {
    const task = numberOf(id);
    if (task === undefined) return [];
    return above(task, parent).flatMap((at) =>
      at === task
        ? depends[at]!.map((on) => ({ id: on }))
        : depends[at]!.slice(0, mostInherited).map((on) => ({ id: on, via: tasks[at]!.id })),
    );
  };
}

/** A container may wait for any number of tasks and hold any number; each of these names so many of those. */
const mostInherited = 10;

const urgency: Record<Priority, number> = { critical: 0, high: 1, medium: 2, low: 3 };

interface Walked {
  /** How many waves have to be over before the moment. */
  level: Int32Array;
  /** The work that the moment comes after, in the wave before; -1 for none. Of several the lowest id. */
  last: Int32Array;
  /** Nothing in the plan leads to it. */
  isStuck: Uint8Array;
  /** In a circle, or after one. */
  isLeft: Uint8Array;
}

/** All moments in an order in which each comes after what it waits for. */
function walk(graph: Graph): Walked {
  const { tasks, from, after, isWork, isEmpty, seq } = graph;
  const count = 2 * tasks.length;
  const waits = graph.waits.slice();
  const level = new Int32Array(count);
  const last = new Int32Array(count).fill(-1);
  const isStuck = new Uint8Array(count);
  for (const blocks of graph.external.values()) for (const i of blocks) isStuck[begin(i)] = 1;
  for (let i = 0; i < tasks.length; i++) {
    if (tasks[i]!.status === 'blocked') isStuck[begin(i)] = 1;
    if (isEmpty[i]) isStuck[finish(i)] = 1;
  }
  const order = new Int32Array(count);
  let end = 0;
  for (let m = 0; m < count; m++) if (waits[m] === 0) order[end++] = m;
  for (let at = 0; at < end; at++) {
    const moment = order[at]!;
    const task = taskOf(moment);
    for (let edge = from[moment]!; edge < from[moment + 1]!; edge++) {
      const next = after[edge]!;
      const isDone = next === moment + 1 && moment === begin(task) && isWork[task] === 1;
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
  return { level, last, isStuck, isLeft: Uint8Array.from(waits, (open) => Number(open > 0)) };
}

/** Back from the lowest id of the last wave. */
function pathTo(lastWave: number[] | undefined, last: Int32Array, seq: number[]): number[] {
  const path: number[] = [];
  let at = lastWave ? lastWave.reduce((a, b) => (seq[b]! < seq[a]! ? b : a)) : -1;
  for (; at >= 0; at = last[begin(at)]!) path.push(at);
  return path.reverse();
}

/** Of each task in no wave, why: its own reasons, and the first of those of whatever contains it. */
function reasonsOf(graph: Graph, isHeldUp: (task: number) => boolean): (task: number) => Reason[] {
  const { tasks, parent, depends, numberOf, isInside, isEmpty } = graph;
  const known = new Map<number, Reason[]>();
  const own = (at: number): Reason[] => {
    const { status, blockedBy } = tasks[at]!;
    const reasons: Reason[] = status === 'blocked' ? [{ kind: 'stated', ...(blockedBy === undefined ? {} : { text: blockedBy }) }] : [];
    for (const id of depends[at]!) {
      const on = numberOf(id);
      if (on === undefined || !isInside[on]) reasons.push({ kind: 'external', on: id });
      else if (isEmpty[on]) reasons.push({ kind: 'unfinished', on: id });
      else if (isHeldUp(on)) reasons.push({ kind: 'waits', on: id });
    }
    return reasons;
  };
  const inherited = (at: number): Reason[] => {
    let reasons = known.get(at);
    if (!reasons) {
      const via = tasks[at]!.id;
      reasons = own(at)
        .slice(0, mostInherited)
        .map((reason) => ({ ...reason, via }));
      known.set(at, reasons);
    }
    return reasons;
  };
  return (task) => [
    ...own(task),
    ...above(task, parent)
      .filter((at) => at !== task)
      .flatMap(inherited),
  ];
}

/** Of the moments that were never reached, circles among them: from each, back along what it waits for until a moment comes again. */
function cyclesOf({ tasks, seq, from, after }: Graph, isLeft: Uint8Array): TaskId[][] {
  const before = new Int32Array(isLeft.length).fill(-1);
  for (let m = 0; m < isLeft.length; m++) {
    if (!isLeft[m]) continue;
    for (let edge = from[m]!; edge < from[m + 1]!; edge++) if (isLeft[after[edge]!]) before[after[edge]!] = m;
  }
  const starts = [...isLeft.keys()].filter((m) => isLeft[m]).sort((a, b) => seq[taskOf(a)]! - seq[taskOf(b)]! || a - b);
  const walkedBy = new Int32Array(isLeft.length).fill(-1);
  const cycles: TaskId[][] = [];
  for (const start of starts) {
    let at = start;
    for (; at >= 0 && walkedBy[at] === -1; at = before[at]!) walkedBy[at] = start;
    if (at < 0 || walkedBy[at] !== start) continue;
    const moments = [at];
    for (let next = before[at]!; next !== at; next = before[next]!) moments.push(next);
    cycles.push(closed(moments.map(taskOf), seq).map((i) => tasks[i]!.id));
  }
  return cycles;
}

/** The two moments of one task count once; the lowest id comes first, and again at the end. */
function closed(path: number[], seq: number[]): number[] {
  const once = path.filter((i, at) => i !== path[at === 0 ? path.length - 1 : at - 1]);
  const ring = once.length > 0 ? once : path.slice(0, 1);
  const lowest = ring.reduce((best, i, at) => (seq[i]! < seq[ring[best]!]! ? at : best), 0);
  return [...ring.slice(lowest), ...ring.slice(0, lowest), ring[lowest]!];
}
