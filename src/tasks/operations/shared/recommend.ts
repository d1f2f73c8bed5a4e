import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ScoredTask } from '../../model/task.ts';
import { rankTasks } from '../../rules/next.ts';
import { createClaimJudge } from './claim-judge.ts';
import { checkTaskExists } from './require.ts';

/** Recommends at most `count` tasks inside the root, or else in the session's scope; best first. */
export async function recommendTasks(
  ctx: Pick<QueryContext, 'store' | 'session' | 'now' | 'config' | 'platform' | 'caller'>,
  root: TaskId | undefined,
  count: number,
): Promise<ScoredTask[]> {
  const { store, session, caller } = ctx;
  await checkTaskExists(store, root);
  const graph = await store.tasks.getOpenGraph();
  const { isLapsed } = await createClaimJudge(ctx, graph.claims);
  // Claiming a task releases the caller's own focus, so only the files of other agents' tasks matter.
  const others = graph.claims.filter((claim) => claim.agent !== caller.agent && !isLapsed(claim));
  const conflicts = others.length > 0 ? await (await import('./claimed-files.ts')).findClaimedFiles(store, others) : undefined;
  const ranked = rankTasks(graph, { isLapsed, within: root ?? session?.scope.root, phase: session?.phase, caller, conflicts }, count);
  const titles = new Map((await store.tasks.getHits(ranked.map(({ taskId }) => taskId))).map((hit) => [hit.id, hit.title]));
  return ranked.map(({ taskId, ...rank }) => ({ taskId, title: titles.get(taskId) ?? '', ...rank }));
}
