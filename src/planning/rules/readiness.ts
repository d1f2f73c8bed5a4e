import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { PlanWork } from '#tasks/model/open-work.ts';
import type { Reason, Waves } from './waves.ts';

export interface Readiness {
  /** May be started: nobody holds it, nothing stands before it. */
  ready: TaskId[];
  running: Claim[];
  /** For what, `openWaits` tells. */
  waiting: TaskId[];
  blocked: { id: TaskId; reasons: Reason[] }[];
}

/** Every piece of work in one of four states. Whoever holds one is at it, whatever has come between since. `claims` are those that
 *  have not lapsed. */
export function readiness({ waves, blocked }: Pick<Waves, 'waves' | 'blocked'>, claims: Claim[]): Readiness {
  const claimOf = new Map(claims.map((claim) => [claim.taskId, claim]));
  const isFree = (id: TaskId): boolean => !claimOf.has(id);
  const [first = [], ...later] = waves;
  return {
    ready: first.filter(isFree),
    running: [...waves.flat(), ...blocked.map(({ id }) => id)].flatMap((id) => claimOf.get(id) ?? []),
    waiting: later.flat().filter(isFree),
    blocked: blocked.filter(({ id }) => isFree(id)),
  };
}

/** Only what is this task or inside it. */
export function readinessInside({ ready, running, waiting, blocked }: Readiness, work: PlanWork, root: TaskId): Readiness {
  const parentOf = new Map(work.tasks.map(({ id, parentId }) => [id, parentId]));
  const isInside = (id: TaskId): boolean => {
    let at: TaskId | undefined = id;
    for (let level = 0; at !== undefined && level < deepest; level++, at = parentOf.get(at)) if (at === root) return true;
    return false;
  };
  return {
    ready: ready.filter(isInside),
    running: running.filter(({ taskId }) => isInside(taskId)),
    waiting: waiting.filter(isInside),
    blocked: blocked.filter(({ id }) => isInside(id)),
  };
}

/** Saga, epic, task, subtask; a damaged store must not send us round in circles. */
const deepest = 10;
