import { type Status, type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { listPrerequisites, type Milestone, parseMilestone, type TaskLinks } from './order.ts';

/** The part of the task graph around one task, in both directions. Only open children are included: done ones block nothing. */
export interface TaskGraph extends TaskLinks {
  dependentsOf: Map<TaskId, TaskId[]>;
  statusOf: Map<TaskId, Status>;
}

export interface DependencyLink {
  id: TaskId;
  /** The container that links the two, where neither names the other. */
  via?: TaskId;
}

interface TaskDeps {
  /** Tasks that must be finished before this one can begin, nearest first. */
  upstream: DependencyLink[];
  /** Tasks that can only begin after this one is finished, nearest first. */
  downstream: DependencyLink[];
  /** Open tasks of `upstream`; a root blocker waits for nothing itself. */
  blockers: { id: TaskId; isRoot: boolean }[];
  /** The longest chain of open work through the task, in the order it has to be done. */
  criticalPath: TaskId[];
}

export function computeDeps(task: TaskId, graph: TaskGraph): TaskDeps {
  const isOpen = (id: TaskId): boolean => graph.statusOf.has(id) && graph.statusOf.get(id) !== 'done';
  const upstream = collectLinks(task, graph, directions.upstream);
  return {
    upstream,
    downstream: collectLinks(task, graph, directions.downstream),
    blockers: upstream
      .filter(({ id }) => isOpen(id))
      .map(({ id }) => ({ id, isRoot: !listDirectPrerequisites(id, graph).some(isOpen) }))
      .sort((a, b) => Number(b.isRoot) - Number(a.isRoot) || toTaskNumber(a.id) - toTaskNumber(b.id)),
    criticalPath: isOpen(task) ? findCriticalPath(task, graph, isOpen) : [],
  };
}

/** Lists the milestones that wait for this one. It is `listPrerequisites` with begin and finish swapped and dependencies reversed. */
const listBlockedMilestones = (milestone: Milestone, graph: TaskGraph): Milestone[] =>
  listPrerequisites(swapKind(milestone), { ...graph, dependsOf: graph.dependentsOf }).map(swapKind);

function swapKind(milestone: Milestone): Milestone {
  const [kind, id] = parseMilestone(milestone);
  return `${kind === 'begin' ? 'finish' : 'begin'} ${id}`;
}

/** The two directions in which the graph is walked from a task. */
export const directions = {
  upstream: { start: 'begin', end: 'finish', step: listPrerequisites },
  downstream: { start: 'finish', end: 'begin', step: listBlockedMilestones },
} as const;

type Direction = (typeof directions)[keyof typeof directions];

/** Walks the graph breadth first. Only a step along a dependency adds distance; a step between a container and its child does not. */
function collectLinks(task: TaskId, graph: TaskGraph, direction: Direction): DependencyLink[] {
  const start: Milestone = `${direction.start} ${task}`;
  // The container through which each milestone was reached: its dependencies are inherited from there.
  const containerOf = new Map<Milestone, TaskId | undefined>([[start, undefined]]);
  const links: (DependencyLink & { distance: number })[] = [];
  for (let level: Milestone[] = [start], distance = 0; level.length > 0; distance++) {
    const nextLevel: Milestone[] = [];
    // `level` grows during the loop.
    for (const from of level) {
      const [kind, id] = parseMilestone(from);
      for (const to of direction.step(from, graph)) {
        if (containerOf.has(to)) continue;
        const [toKind, toId] = parseMilestone(to);
        const isAlongDepends = kind !== toKind && id !== toId;
        containerOf.set(to, kind === toKind && kind !== direction.end ? toId : undefined);
        (isAlongDepends ? nextLevel : level).push(to);
        if (toKind !== direction.end || toId === task) continue;
        const via = isAlongDepends ? containerOf.get(from) : id;
        links.push({ ...defined({ id: toId, via }), distance: isAlongDepends ? distance + 1 : distance });
      }
    }
    level = nextLevel;
  }
  return links
    .sort((a, b) => a.distance - b.distance || toTaskNumber(a.id) - toTaskNumber(b.id))
    .map(({ id, via }) => defined({ id, via }));
}

/** Lists the tasks that must be finished first, one step back: own dependencies, those of the containers, and children. */
function listDirectPrerequisites(task: TaskId, graph: TaskGraph): TaskId[] {
  const prerequisites = [...(graph.childrenOf.get(task) ?? [])];
  const seen = new Set<TaskId>();
  for (let at: TaskId | undefined = task; at && !seen.has(at); at = graph.parentOf.get(at)) {
    seen.add(at);
    prerequisites.push(...(graph.dependsOf.get(at) ?? []));
  }
  return prerequisites;
}

function findCriticalPath(task: TaskId, graph: TaskGraph, isOpen: (id: TaskId) => boolean): TaskId[] {
  // A container with open children is not work itself.
  const isCounted = (milestone: Milestone, { end }: Direction): boolean => {
    const [kind, id] = parseMilestone(milestone);
    return kind === end && id !== task && !graph.childrenOf.has(id);
  };
  const findChain = (direction: Direction): TaskId[] =>
    findLongestChain(
      `${direction.start} ${task}`,
      (milestone) => isCounted(milestone, direction),
      (milestone) => direction.step(milestone, graph).filter((to) => isOpen(parseMilestone(to)[1])),
    );
  return [...findChain(directions.upstream).reverse(), task, ...findChain(directions.downstream)];
}

/** Finds the longest chain of work from a milestone on, without the start; ties go to the lower id. Iterative, because a chain can be
 *  as long as the project. */
function findLongestChain(
  start: Milestone,
  isCounted: (milestone: Milestone) => boolean,
  next: (milestone: Milestone) => Milestone[],
): TaskId[] {
  const best = new Map<Milestone, { length: number; to?: Milestone }>();
  const stack: { milestone: Milestone; next: Milestone[]; at: number }[] = [{ milestone: start, next: next(start), at: 0 }];
  const entered = new Set<Milestone>([start]);
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    const step = top.next[top.at++];
    if (step !== undefined) {
      if (entered.has(step)) continue;
      entered.add(step);
      stack.push({ milestone: step, next: next(step), at: 0 });
      continue;
    }
    stack.pop();
    let chosen: { length: number; to?: Milestone } = { length: 0 };
    for (const to of top.next) {
      const rest = best.get(to);
      // In a cycle of a damaged store the chain ends where it would meet itself.
      if (!rest) continue;
      const length = rest.length + (isCounted(to) ? 1 : 0);
      const isLower = chosen.to !== undefined && toTaskNumber(parseMilestone(to)[1]) < toTaskNumber(parseMilestone(chosen.to)[1]);
      if (length > chosen.length || (length === chosen.length && length > 0 && isLower)) chosen = { length, to };
    }
    best.set(top.milestone, chosen);
  }
  const path: TaskId[] = [];
  for (let at = best.get(start)?.to; at; at = best.get(at)?.to) if (isCounted(at)) path.push(parseMilestone(at)[1]);
  return path;
}
