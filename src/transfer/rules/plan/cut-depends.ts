import type { PlanStamp } from '../../model/plan.ts';
import { compareText } from './stamp.ts';

export interface DependsEdge {
  from: string;
  to: string;
  stamp: PlanStamp;
}

/** Returns the dependencies to leave out, so that every task can be finished. Dependencies are added in the order in which they were
 *  written; one that closes a cycle is left out. The result does not depend on the order of the arguments.
 *  Milestones are those of `#tasks/rules/order.ts`, as numbers, because every sync checks the whole plan: task n begins at 2n and is
 *  finished at 2n + 1. */
export function cutDepends(edges: readonly DependsEdge[], parentOf: ReadonlyMap<string, string>): DependsEdge[] {
  if (edges.length === 0) return [];
  const { getNumber, count } = numberTasks(edges, parentOf);
  const containment: number[] = [];
  for (let n = 0; n < count; n++) containment.push(toFinish(n), toBegin(n));
  for (const [child, parent] of parentOf) {
    const [c, p] = [getNumber(child), getNumber(parent)];
    containment.push(toBegin(c), toBegin(p), toFinish(p), toFinish(c));
  }
  const pairs = containment.slice();
  for (const { from, to } of edges) pairs.push(toBegin(getNumber(from)), toFinish(getNumber(to)));
  const core = findCore(pairs, 2 * count);
  const isInCore = ({ from, to }: DependsEdge): boolean => core[toBegin(getNumber(from))] === 1 && core[toFinish(getNumber(to))] === 1;
  const candidates = edges.filter(isInCore).sort(compareEdges);
  if (candidates.length === 0) return [];
  const prerequisites = new Map<number, number[]>();
  const addPrerequisite = (milestone: number, before: number): void => {
    if (core[milestone] !== 1 || core[before] !== 1) return;
    const list = prerequisites.get(milestone);
    if (list) list.push(before);
    else prerequisites.set(milestone, [before]);
  };
  for (let i = 0; i < containment.length; i += 2) addPrerequisite(containment[i]!, containment[i + 1]!);
  return candidates.filter(({ from, to }) => {
    const [begin, finish] = [toBegin(getNumber(from)), toFinish(getNumber(to))];
    const isCycle = isReachable(finish, begin, prerequisites);
    if (!isCycle) addPrerequisite(begin, finish);
    return isCycle;
  });
}

const toBegin = (n: number): number => 2 * n;
const toFinish = (n: number): number => 2 * n + 1;

const compareEdges = (a: DependsEdge, b: DependsEdge): number =>
  compareText(a.stamp, b.stamp) || compareText(a.from, b.from) || compareText(a.to, b.to);

function numberTasks(
  edges: readonly DependsEdge[],
  parentOf: ReadonlyMap<string, string>,
): { getNumber(uid: string): number; count: number } {
  const numbers = new Map<string, number>();
  const add = (uid: string): void => {
    if (!numbers.has(uid)) numbers.set(uid, numbers.size);
  };
  for (const { from, to } of edges) {
    add(from);
    add(to);
  }
  for (const [child, parent] of parentOf) {
    add(child);
    add(parent);
  }
  return { getNumber: (uid) => numbers.get(uid)!, count: numbers.size };
}

/** Marks the milestones on cycles and between them. The others are removed from both ends, so that the search for cycles does not visit
 *  the whole plan for every dependency. `pairs` lists a milestone and a prerequisite of it in turns. */
function findCore(pairs: readonly number[], count: number): Uint8Array {
  const core = new Uint8Array(count).fill(1);
  let left = count;
  for (const side of [0, 1]) {
    const open = new Int32Array(count);
    const starts = new Int32Array(count + 1);
    for (let i = 0; i < pairs.length; i += 2) {
      if (core[pairs[i]!] === 0 || core[pairs[i + 1]!] === 0) continue;
      open[pairs[i + side]!]! += 1;
      starts[pairs[i + 1 - side]! + 1]! += 1;
    }
    for (let i = 0; i < count; i++) starts[i + 1]! += starts[i]!;
    const targets = new Int32Array(starts[count]!);
    const next = starts.slice();
    for (let i = 0; i < pairs.length; i += 2)
      if (core[pairs[i]!] === 1 && core[pairs[i + 1]!] === 1) targets[next[pairs[i + 1 - side]!]!++] = pairs[i + side]!;
    const ready: number[] = [];
    for (let i = 0; i < count; i++) if (core[i] === 1 && open[i] === 0) ready.push(i);
    for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
      core[at] = 0;
      left -= 1;
      for (let i = starts[at]!; i < starts[at + 1]!; i++) if (--open[targets[i]!]! === 0) ready.push(targets[i]!);
    }
    if (left === 0) break;
  }
  return core;
}

function isReachable(from: number, target: number, prerequisites: ReadonlyMap<number, number[]>): boolean {
  const stack = [from];
  const visited = new Set(stack);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at === target) return true;
    for (const next of prerequisites.get(at) ?? []) {
      if (visited.has(next)) continue;
      visited.add(next);
      stack.push(next);
    }
  }
  return false;
}
