import type { Caller } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';

interface AheadContext {
  caller: Caller;
  now: string;
}

/** Sends the reads of `startTask`. See `readAhead` of an operation. */
export function readClaimAhead(store: ReadStore, id: TaskId, ctx: AheadContext): Promise<unknown>[] {
  return [...readCallerAhead(store, ctx), ...readClaimedTask(store, id)];
}

/** Sends the reads of `completeTask`. Only a call without a task reads what the caller holds. */
export function readCompletedAhead(store: ReadStore, id: TaskId | undefined, ctx: AheadContext): Promise<unknown>[] {
  if (id === undefined) return readCallerAhead(store, ctx);
  return [...readClaimedTask(store, id), ...readRelatives(store, id), store.tasks.listDependents(id), store.ranks.readClosing(id)];
}

/** Sends the reads of the other changes of one task. */
export function readTaskAhead(store: ReadStore, id: TaskId | undefined, ctx: AheadContext): Promise<unknown>[] {
  if (id === undefined) return readCallerAhead(store, ctx);
  return [...readClaimAhead(store, id, ctx), ...readRelatives(store, id)];
}

const readCallerAhead = ({ claims }: ReadStore, { caller, now }: AheadContext): Promise<unknown>[] => [
  claims.getHeldBy(caller),
  claims.getLeaseTime(now),
];

const readClaimedTask = ({ tasks, claims }: ReadStore, id: TaskId): Promise<unknown>[] => [
  tasks.get(id),
  claims.get(id),
  tasks.listOpenDependencies(id),
];

const readRelatives = ({ tasks, gates }: ReadStore, id: TaskId): Promise<unknown>[] => [
  tasks.getAncestry(id),
  tasks.listChildren(id),
  gates.listAttempts(id),
];
