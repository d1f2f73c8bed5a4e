import type { ReadStore } from '#store/port/store.ts';
import { findProblems, type TaskProblem } from '../../rules/integrity.ts';

export interface IntegrityLimits {
  now: string;
  maxSiblings: number;
  ttlMinutes: number;
}

/** Checks all stored tasks; `tasks` is their number. */
export async function findTaskProblems(
  store: ReadStore,
  { now, maxSiblings, ttlMinutes }: IntegrityLimits,
): Promise<{ tasks: number; problems: TaskProblem[] }> {
  const tasks = await store.tasks.listHierarchy();
  const problems = findProblems({
    tasks,
    depends: await store.health.listDependencyEdges(),
    relations: await store.tasks.listAllRelations(),
    claims: await store.claims.list(),
    blockedWithoutReason: (await store.tasks.listBlocked()).filter(({ blockedBy }) => !blockedBy?.trim()).map(({ id }) => id),
    maxSiblings,
    ttlMinutes,
    // If the clock is behind the log, no claim counts as expired.
    now: await store.claims.getLeaseTime(now),
  });
  return { tasks: tasks.length, problems };
}
