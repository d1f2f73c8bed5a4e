import type { TaskType } from '#core/model/scalars.ts';
import { canBePlaced, getChildTier } from '#tasks/rules/hierarchy.ts';
import type { PlanSummary } from '../../model/plan.ts';

export interface ResolvedPlace {
  type: TaskType;
  parent: string | undefined;
  /** Why the place is not the recorded one. */
  problem: 'missing-parent' | 'cycle' | 'tier' | undefined;
}

/** Places every task. A parent that is missing or deleted counts as none. A cycle of parents is cut at the edge that was written last.
 *  A task that does not fit below its parent takes the tier that does, or, if it contains tasks itself, moves to the top level. */
export function resolvePlaces(tasks: ReadonlyMap<string, PlanSummary>): Map<string, ResolvedPlace> {
  const parentOf = new Map<string, string>();
  const problems = new Map<string, ResolvedPlace['problem']>();
  const containers = new Set<string>();
  for (const { uid, parent } of tasks.values()) {
    if (parent === undefined) continue;
    if (tasks.has(parent)) parentOf.set(uid, parent);
    else problems.set(uid, 'missing-parent');
  }
  for (const uid of findParentCuts(tasks, parentOf)) {
    parentOf.delete(uid);
    problems.set(uid, 'cycle');
  }
  for (const parent of parentOf.values()) containers.add(parent);
  const places = new Map<string, ResolvedPlace>();
  const chain: string[] = [];
  for (const start of tasks.keys()) {
    for (let at: string | undefined = start; at !== undefined && !places.has(at); at = parentOf.get(at)) chain.push(at);
    for (let uid = chain.pop(); uid !== undefined; uid = chain.pop()) {
      const parent = parentOf.get(uid);
      const type = tasks.get(uid)!.type ?? 'task';
      const parentType = parent === undefined ? undefined : places.get(parent)!.type;
      places.set(uid, placeTask({ type, parent, problem: problems.get(uid) }, parentType, containers.has(uid)));
    }
  }
  return places;
}

function placeTask(recorded: ResolvedPlace, parentType: TaskType | undefined, isContainer: boolean): ResolvedPlace {
  const { type, parent, problem } = recorded;
  if (canBePlaced(type, parentType)) return recorded;
  if (parent !== undefined && parentType !== 'subtask' && !isContainer) return { type: getChildTier(parentType), parent, problem: 'tier' };
  return { type: type === 'subtask' ? 'task' : type, parent: undefined, problem: problem ?? 'tier' };
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
