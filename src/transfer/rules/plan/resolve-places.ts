import type { TaskType } from '#core/model/scalars.ts';
import { canBePlaced, getChildTier, sortParentsFirst } from '#tasks/rules/hierarchy.ts';
import type { PlanSummary } from '../../model/plan.ts';

export interface ResolvedPlace {
  type: TaskType;
  parent?: string;
  /** Why the place is not the recorded one. */
  problem?: 'missing-parent' | 'cycle' | 'tier';
}

/** Places every task. A parent that is missing or deleted counts as none. A cycle of parents is cut at the edge that was written last.
 *  A task that does not fit below its parent takes the tier that does, or, if it contains tasks itself, moves to the top level. */
export function resolvePlaces(tasks: ReadonlyMap<string, PlanSummary>): Map<string, ResolvedPlace> {
  const parentOf = new Map<string, string>();
  const problems = new Map<string, ResolvedPlace['problem']>();
  for (const { uid, parent } of tasks.values()) {
    if (parent === undefined) continue;
    if (tasks.has(parent)) parentOf.set(uid, parent);
    else problems.set(uid, 'missing-parent');
  }
  for (const uid of findParentCuts(tasks, parentOf)) {
    parentOf.delete(uid);
    problems.set(uid, 'cycle');
  }
  const containers = new Set(parentOf.values());
  const places = new Map<string, ResolvedPlace>();
  for (const uid of sortParentsFirst([...tasks.keys()], new Map([...tasks.keys()].map((id) => [id, parentOf.get(id)])))) {
    const parent = parentOf.get(uid);
    const parentType = parent === undefined ? undefined : places.get(parent)!.type;
    const type = tasks.get(uid)!.type ?? 'task';
    const problem = problems.get(uid);
    if (canBePlaced(type, parentType))
      places.set(uid, { type, ...(parent === undefined ? {} : { parent }), ...(problem ? { problem } : {}) });
    else if (parent !== undefined && parentType !== 'subtask' && !containers.has(uid))
      places.set(uid, { type: getChildTier(parentType), parent, problem: 'tier' });
    else places.set(uid, { type: type === 'subtask' ? 'task' : type, problem: problem ?? 'tier' });
  }
  return places;
}

/** Finds the last written edge of each cycle. Every task has one parent, so cycles share no edge. */
function findParentCuts(tasks: ReadonlyMap<string, PlanSummary>, parentOf: ReadonlyMap<string, string>): string[] {
  const visited = new Set<string>();
  const cuts: string[] = [];
  for (const start of parentOf.keys()) {
    const path: string[] = [];
    let at: string | undefined = start;
    for (; at !== undefined && !visited.has(at); at = parentOf.get(at)) {
      visited.add(at);
      path.push(at);
    }
    const first = at === undefined ? -1 : path.indexOf(at);
    if (first < 0) continue;
    const toRank = (uid: string): string => `${tasks.get(uid)!.placeStamp ?? ''}\n${uid}`;
    cuts.push(path.slice(first).reduce((latest, uid) => (toRank(uid) > toRank(latest) ? uid : latest)));
  }
  return cuts;
}
