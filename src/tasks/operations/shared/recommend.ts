import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ScoredTask } from '../../model/task.ts';
import { rankTasks } from '../../rules/next.ts';
import { checkTaskExists } from './require.ts';

/** Recommends at most `count` tasks inside the root, or else in the session's scope; best first. */
export async function recommendTasks(
  { store, now, config, session }: Pick<QueryContext, 'store' | 'session' | 'now' | 'config'>,
  root: TaskId | undefined,
  count: number,
): Promise<ScoredTask[]> {
  await checkTaskExists(store, root);
  const ranked = rankTasks(
    await store.tasks.getOpenGraph(),
    {
      now: await store.claims.getLeaseTime(now),
      ttlMinutes: config['claims.ttlMinutes'],
      within: root ?? session?.scope.root,
      phase: session?.phase,
    },
    count,
  );
  const titles = new Map((await store.tasks.getHits(ranked.map(({ taskId }) => taskId))).map((hit) => [hit.id, hit.title]));
  return ranked.map(({ taskId, ...rank }) => ({ taskId, title: titles.get(taskId) ?? '', ...rank }));
}
