import { addToList } from '#lib/collections.ts';
import { findCycle, listPrerequisites, type Milestone, type TaskLinks } from '#tasks/rules/order.ts';
import type { PlanStamp } from '../../model/plan.ts';
import { compareText } from './stamp.ts';

export interface DependsEdge {
  from: string;
  to: string;
  stamp: PlanStamp;
}

/** Returns the dependencies to leave out, so that every task can be finished. Dependencies are added in the order in which they were
 *  written; one that closes a cycle is left out. The result does not depend on the order of the arguments. */
export function cutDepends(edges: readonly DependsEdge[], parentOf: Map<string, string>): DependsEdge[] {
  const links = buildLinks(edges, parentOf);
  if (!findCycle([...links.dependsOf.keys()], links)) return [];
  const core = findCore(edges, links);
  const isInCore = ({ from, to }: DependsEdge): boolean => core.has(`begin ${from}`) && core.has(`finish ${to}`);
  const accepted = buildLinks(
    edges.filter((edge) => !isInCore(edge)),
    parentOf,
  );
  const cuts: DependsEdge[] = [];
  for (const edge of edges.filter(isInCore).sort(compareEdges)) {
    if (isReachable(`finish ${edge.to}`, `begin ${edge.from}`, accepted, core)) cuts.push(edge);
    else addToList(accepted.dependsOf, edge.from, edge.to);
  }
  return cuts;
}

const compareEdges = (a: DependsEdge, b: DependsEdge): number =>
  compareText(a.stamp, b.stamp) || compareText(a.from, b.from) || compareText(a.to, b.to);

function buildLinks(edges: readonly DependsEdge[], parentOf: Map<string, string>): TaskLinks {
  const links: TaskLinks = { parentOf, dependsOf: new Map(), childrenOf: new Map() };
  for (const [child, parent] of parentOf) addToList(links.childrenOf, parent, child);
  for (const { from, to } of edges) addToList(links.dependsOf, from, to);
  return links;
}

/** Finds the milestones on cycles and between them. Those outside are removed from both ends, so that the search for cycles to cut does
 *  not visit the whole plan for every dependency. */
function findCore(edges: readonly DependsEdge[], links: TaskLinks): Set<Milestone> {
  const ids = new Set([...links.parentOf.keys(), ...links.parentOf.values(), ...edges.flatMap(({ from, to }) => [from, to])]);
  const before = new Map<Milestone, Milestone[]>();
  const after = new Map<Milestone, Milestone[]>();
  for (const id of ids)
    for (const milestone of [`begin ${id}`, `finish ${id}`] satisfies Milestone[]) {
      before.set(milestone, listPrerequisites(milestone, links));
      for (const prerequisite of before.get(milestone)!) addToList(after, prerequisite, milestone);
    }
  const core = new Set(before.keys());
  for (const [inward, outward] of [
    [before, after],
    [after, before],
  ] as const) {
    const open = new Map([...core].map((one) => [one, (inward.get(one) ?? []).filter((other) => core.has(other)).length]));
    // `ready` grows during the loop.
    const ready = [...open].filter(([, count]) => count === 0).map(([one]) => one);
    for (const one of ready) {
      core.delete(one);
      for (const other of outward.get(one) ?? []) {
        const count = (open.get(other) ?? 0) - 1;
        open.set(other, count);
        if (count === 0) ready.push(other);
      }
    }
  }
  return core;
}

function isReachable(from: Milestone, target: Milestone, links: TaskLinks, core: Set<Milestone>): boolean {
  const stack = [from];
  const visited = new Set(stack);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at === target) return true;
    for (const next of listPrerequisites(at, links)) {
      if (visited.has(next) || !core.has(next)) continue;
      visited.add(next);
      stack.push(next);
    }
  }
  return false;
}
