import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { OpenWork } from '../../model/open-work.ts';
import type { ScoredTask } from '../../model/task.ts';
import { rankTasks } from '../../rules/next.ts';
import { createClaimJudge } from './claim-judge.ts';
import { checkTaskExists } from './require.ts';

/** Sends the reads of `recommendTasks`. */
export const readOpenWorkAhead = (
  { tasks, claims }: ReadStore,
  { epic }: { epic?: TaskId | undefined },
  { now }: { now: string },
): Promise<unknown>[] => [tasks.getOpenGraph(), claims.getLeaseTime(now), ...(epic ? [tasks.exists(epic)] : [])];

/** Recommends at most `count` tasks inside the root, or else in the session's scope; best first. With `isForAny`, tasks that are assigned
 *  to others too. */
export async function recommendTasks(
  ctx: Pick<QueryContext, 'store' | 'session' | 'now' | 'today' | 'config' | 'platform' | 'caller' | 'token'>,
  root: TaskId | undefined,
  count: number,
  isForAny = false,
): Promise<ScoredTask[]> {
  const { store, session, caller, today } = ctx;
  await checkTaskExists(store, root);
  const graph = await store.tasks.getOpenGraph();
  const { isLapsed } = await createClaimJudge(ctx, graph.claims);
  // Claiming a task releases the caller's own focus, so only the files of other agents' tasks matter.
  const others = graph.claims.filter((claim) => claim.agent !== caller.agent && !isLapsed(claim));
  const conflicts = others.length > 0 ? await (await import('./claimed-files.ts')).findClaimedFiles(store, others) : undefined;
  const reserved = isForAny ? undefined : await readReserved(ctx, graph);
  const within = root ?? session?.scope.root;
  const ranked = rankTasks(graph, { isLapsed, within, phase: session?.phase, caller, conflicts, reserved, today }, count);
  const titles = new Map((await store.tasks.getHits(ranked.map(({ taskId }) => taskId))).map((hit) => [hit.id, hit.title]));
  return ranked.map(({ taskId, ...rank }) => ({ taskId, title: titles.get(taskId) ?? '', ...rank }));
}

/** Finds the tasks that are assigned to others. Without assigned tasks nothing is loaded for it. */
export async function readReserved(
  ctx: Pick<QueryContext, 'store' | 'config' | 'platform' | 'caller' | 'token'>,
  { planned = [] }: OpenWork,
): Promise<Set<TaskId> | undefined> {
  if (!planned.some(({ assignee }) => assignee !== undefined)) return undefined;
  return (await import('./assignee.ts')).findReserved(ctx, planned);
}
