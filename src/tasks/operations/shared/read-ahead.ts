import type { Caller } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';

/** Sends the reads of `startTask`, `completeTask` and the other changes of one task. See `readAhead` of an operation. */
export function readTaskAhead(
  { tasks, claims, gates }: ReadStore,
  id: TaskId | undefined,
  { caller, now }: { caller: Caller; now: string },
): Promise<unknown>[] {
  const ofCaller = [claims.getHeldBy(caller), claims.getLeaseTime(now)];
  if (id === undefined) return ofCaller;
  return [
    ...ofCaller,
    tasks.get(id),
    tasks.getAncestry(id),
    claims.get(id),
    tasks.listOpenDependencies(id),
    tasks.listChildren(id),
    gates.listAttempts(id),
  ];
}
