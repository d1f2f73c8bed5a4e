import { type Status, seqOf, type TaskId } from '#core/model/scalars.ts';
import { type Links, type Moment, waitsFor } from './order.ts';

/** The part of the task graph around one task, in both directions. Of children only the open ones: the others hold nothing up. */
export interface Around extends Links {
  dependentsOf: Map<TaskId, TaskId[]>;
  statusOf: Map<TaskId, Status>;
}

export interface Linked {
  id: TaskId;
  /** The container through which the two are linked, where none of the two names the other. */
  via?: TaskId;
}

export interface Deps {
  /** What must be finished before the task can begin, the nearest first. */
  upstream: Linked[];
  /** What can only begin after the task is finished, the nearest first. */
  downstream: Linked[];
  /** What of upstream is open; a root one waits for nothing itself. */
  blockers: { id: TaskId; isRoot: boolean }[];
  /** The longest chain of open work through the task, in the order it has to be done. */
  criticalPath: TaskId[];
}

export function depsOf(task: TaskId, around: Around): Deps {
  const isOpen = (id: TaskId): boolean => around.statusOf.has(id) && around.statusOf.get(id) !== 'done';
  const upstream = reached(task, `begin ${task}`, 'finish', (moment) => waitsFor(moment, around));
  const downstream = reached(task, `finish ${task}`, 'begin', (moment) => waitedForBy(moment, around));
  return {
    upstream,
    downstream,
    blockers: upstream
      .filter(({ id }) => isOpen(id))
      .map(({ id }) => ({ id, isRoot: !directWaits(id, around).some(isOpen) }))
      .sort((a, b) => Number(b.isRoot) - Number(a.isRoot) || seqOf(a.id) - seqOf(b.id)),
    criticalPath: isOpen(task) ? criticalPath(task, around, isOpen) : [],
  };
}

/** The other way round: what this moment holds up. */
export function waitedForBy(moment: Moment, around: Around): Moment[] {
  const [kind, id] = parts(moment);
  if (kind === 'begin') return [`finish ${id}`, ...(around.childrenOf.get(id) ?? []).map((child): Moment => `begin ${child}`)];
  const parent = around.parentOf.get(id);
  return [...(around.dependentsOf.get(id) ?? []).map((on): Moment => `begin ${on}`), ...(parent ? [`finish ${parent}` as Moment] : [])];
}

const parts = (moment: Moment): ['begin' | 'finish', TaskId] => moment.split(' ') as ['begin' | 'finish', TaskId];

/** Breadth first. A step from task to container or back does not make it farther; a step along a depends does. */
function reached(task: TaskId, start: Moment, wanted: 'begin' | 'finish', next: (moment: Moment) => Moment[]): Linked[] {
  /** The container that a moment was reached by going up to; what it holds up or waits for is then inherited from it. */
  const containerOf = new Map<Moment, TaskId | undefined>([[start, undefined]]);
  const found: (Linked & { distance: number })[] = [];
  for (let level: Moment[] = [start], distance = 0; level.length > 0; distance++) {
    const farther: Moment[] = [];
    // The level grows while it is walked.
    for (const from of level) {
      const [kind, id] = parts(from);
      for (const to of next(from)) {
        if (containerOf.has(to)) continue;
        const [toKind, toId] = parts(to);
        const isAlongDepends = kind !== toKind && id !== toId;
        containerOf.set(to, kind === toKind && kind !== wanted ? toId : undefined);
        (isAlongDepends ? farther : level).push(to);
        if (toKind !== wanted || toId === task) continue;
        const via = isAlongDepends ? containerOf.get(from) : id;
        found.push({ id: toId, ...(via ? { via } : {}), distance: isAlongDepends ? distance + 1 : distance });
      }
    }
    level = farther;
  }
  return found.sort((a, b) => a.distance - b.distance || seqOf(a.id) - seqOf(b.id)).map(({ id, via }) => ({ id, ...(via ? { via } : {}) }));
}

/** What has to be finished first, one step back: own depends, those of what contains it, and what it contains. */
function directWaits(task: TaskId, around: Around): TaskId[] {
  const waits = [...(around.childrenOf.get(task) ?? [])];
  const seen = new Set<TaskId>();
  for (let at: TaskId | undefined = task; at && !seen.has(at); at = around.parentOf.get(at)) {
    seen.add(at);
    waits.push(...(around.dependsOf.get(at) ?? []));
  }
  return waits;
}

function criticalPath(task: TaskId, around: Around, isOpen: (id: TaskId) => boolean): TaskId[] {
  // A container with open work inside it is no work of its own.
  const isWork = (id: TaskId): boolean => !around.childrenOf.has(id);
  const open = (moments: Moment[]): Moment[] => moments.filter((moment) => isOpen(parts(moment)[1]));
  const before = longest(`begin ${task}`, 'finish', isWork, (moment) => open(waitsFor(moment, around)));
  const after = longest(`finish ${task}`, 'begin', isWork, (moment) => open(waitedForBy(moment, around)));
  return [...before.reverse(), task, ...after];
}

/** The longest chain of work from a moment on, without the start; of equal ones the lower id. Without recursion: a chain may be as
 *  long as the project. */
function longest(
  start: Moment,
  counted: 'begin' | 'finish',
  isWork: (id: TaskId) => boolean,
  next: (moment: Moment) => Moment[],
): TaskId[] {
  const best = new Map<Moment, { length: number; to?: Moment }>();
  const isCounted = (moment: Moment): boolean => parts(moment)[0] === counted && isWork(parts(moment)[1]);
  const stack: { moment: Moment; next: Moment[]; at: number }[] = [{ moment: start, next: next(start), at: 0 }];
  const entered = new Set<Moment>([start]);
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    const step = top.next[top.at++];
    if (step !== undefined) {
      if (entered.has(step)) continue;
      entered.add(step);
      stack.push({ moment: step, next: next(step), at: 0 });
      continue;
    }
    stack.pop();
    let chosen: { length: number; to?: Moment } = { length: 0 };
    for (const to of top.next) {
      const length = (best.get(to)?.length ?? 0) + (isCounted(to) ? 1 : 0);
      const isLower = chosen.to !== undefined && seqOf(parts(to)[1]) < seqOf(parts(chosen.to)[1]);
      if (length > chosen.length || (length === chosen.length && length > 0 && isLower)) chosen = { length, to };
    }
    best.set(top.moment, chosen);
  }
  const path: TaskId[] = [];
  for (let at = best.get(start)?.to; at; at = best.get(at)?.to) if (isCounted(at)) path.push(parts(at)[1]);
  return path;
}
