import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { PlanWork } from '#tasks/model/open-work.ts';
import { maxHierarchyDepth } from './plan-graph.ts';
import type { Waves } from './waves.ts';

interface Readiness {
  /** Unclaimed tasks of the first wave. */
  ready: TaskId[];
  running: Claim[];
  /** Unclaimed tasks of later waves; `indexOpenWaits` says what they wait for. */
  waiting: TaskId[];
  blocked: Waves['blocked'];
}

/** Sorts all work into ready, running, waiting and blocked. A claimed task is running, even if it has been blocked since. `claims`
 *  must not contain expired ones. */
export function computeReadiness({ waves, blocked }: Pick<Waves, 'waves' | 'blocked'>, claims: Claim[]): Readiness {
  const claimById = new Map(claims.map((claim) => [claim.taskId, claim]));
  const isFree = (id: TaskId): boolean => !claimById.has(id);
  const [first = [], ...later] = waves;
  return {
    ready: first.filter(isFree),
    running: [...waves.flat(), ...blocked.map(({ id }) => id)].flatMap((id) => claimById.get(id) ?? []),
    waiting: later.flat().filter(isFree),
    blocked: blocked.filter(({ id }) => isFree(id)),
  };
}

/** Keeps only the root and the tasks inside it. */
export function filterReadiness({ ready, running, waiting, blocked }: Readiness, work: PlanWork, root: TaskId): Readiness {
  const parents = new Map(work.tasks.map(({ id, parentId }) => [id, parentId]));
  const isInside = (id: TaskId): boolean => {
    let at: TaskId | undefined = id;
    for (let level = 0; at !== undefined && level < maxHierarchyDepth; level++, at = parents.get(at)) if (at === root) return true;
    return false;
  };
  return {
    ready: ready.filter(isInside),
    running: running.filter(({ taskId }) => isInside(taskId)),
    waiting: waiting.filter(isInside),
    blocked: blocked.filter(({ id }) => isInside(id)),
  };
}
