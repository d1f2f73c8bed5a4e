import type { ReadStore } from '#store/port.ts';
import { type Problem, problemsOf } from '../../rules/integrity.ts';

export interface Limits {
  now: string;
  maxSiblings: number;
  ttlMinutes: number;
}

/** What is wrong with the tasks, and how many there are. */
export async function taskProblems(
  store: ReadStore,
  { now, maxSiblings, ttlMinutes }: Limits,
): Promise<{ tasks: number; problems: Problem[] }> {
  const tasks = await store.tasks.kin();
  const problems = problemsOf({
    tasks,
    depends: await store.health.dependencyEdges(),
    relations: await store.tasks.allRelations(),
    claims: await store.claims.all(),
    unexplained: (await store.tasks.blocked()).filter(({ blockedBy }) => !blockedBy?.trim()).map(({ id }) => id),
    maxSiblings,
    ttlMinutes,
    // A clock that is behind the log says nothing about who has been away for long.
    now: await store.claims.moment(now),
  });
  return { tasks: tasks.length, problems };
}
