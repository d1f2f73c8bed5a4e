import type { ReadStore } from '#store/port/store.ts';
import { findStaleRanks } from '../../rules/all-ranks.ts';
import { findProblems, type IntegrityFacts, type TaskProblem } from '../../rules/integrity.ts';

export type IntegrityLimits = Pick<IntegrityFacts, 'now' | 'maxSiblings' | 'ttlMinutes'>;

/** Checks all stored tasks; `tasks` is their number. */
export async function findTaskProblems(store: ReadStore, limits: IntegrityLimits): Promise<{ tasks: number; problems: TaskProblem[] }> {
  const tasks = await store.tasks.listHierarchy();
  const problems = findProblems({
    tasks,
    depends: await store.health.listDependencyEdges(),
    relations: await store.tasks.listAllRelations(),
    claims: await store.claims.list(),
    blockedWithoutReason: (await store.tasks.listBlocked()).filter(({ blockedBy }) => !blockedBy?.trim()).map(({ id }) => id),
    staleRanks: findStaleRanks(await store.ranks.listAll(), await store.tasks.getOpenGraph()),
    ...limits,
    // If the clock is behind the log, no claim counts as expired.
    now: await store.claims.getLeaseTime(limits.now),
  });
  return { tasks: tasks.length, problems };
}
