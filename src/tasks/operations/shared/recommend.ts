import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { formatLocalDay } from '#lib/iso-time.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { OpenWork } from '../../model/open-work.ts';
import type { ScoredTask } from '../../model/task.ts';
import { scoreTask } from '../../rules/next.ts';
import { conflictPoints } from '../../rules/score.ts';
import { createClaimJudge } from './claim-judge.ts';
import { checkTaskExists } from './require.ts';
import { readRanksAhead, selectTasks } from './select-tasks.ts';

/** Sends the reads of `recommendTasks`, as far as they do not depend on the session. */
export const readRecommendationAhead = (
  store: ReadStore,
  { epic }: { epic?: TaskId | undefined },
  { now }: { now: string },
): Promise<unknown>[] => [...readForRoot(store, epic, now, formatLocalDay(now)), ...(epic ? [store.tasks.exists(epic)] : [])];

const readForRoot = (store: ReadStore, root: TaskId | undefined, now: string, today: string): Promise<unknown>[] => [
  ...readRanksAhead(store, root, 'score', today),
  store.claims.list(),
  store.claims.listFiles(),
  store.claims.getLeaseTime(now),
];

/** Recommends at most `count` tasks inside the root, or else in the session's scope; best first. With `isForAny`, tasks that are assigned
 *  to others too. */
export async function recommendTasks(
  ctx: Pick<QueryContext, 'store' | 'session' | 'now' | 'today' | 'config' | 'platform' | 'caller' | 'token'>,
  root: TaskId | undefined,
  count: number,
  isForAny = false,
): Promise<ScoredTask[]> {
  const { store, session, caller, now, today } = ctx;
  const within = root ?? session?.scope.root;
  store.ahead?.((ahead) => readForRoot(ahead, within, now, today));
  await checkTaskExists(store, root);
  const claims = await store.claims.list();
  const { isLapsed } = await createClaimJudge(ctx, claims);
  const held = claims.filter((claim) => !isLapsed(claim));
  // Claiming a task releases the caller's own focus, so only the files of other agents' tasks matter.
  const others = held.filter((claim) => claim.agent !== caller.agent);
  const findConflicts = others.length > 0 ? await (await import('./claimed-files.ts')).createConflictFinder(store, others) : undefined;
  const conflicts = new Map<TaskId, string>();
  const selected = await selectTasks(ctx, {
    order: 'score',
    count,
    root: within,
    phase: session?.phase,
    isForAny,
    excluded: new Set(held.map(({ taskId }) => taskId)),
    ...(findConflicts && {
      scoreMore: async (ids) => {
        const found = await findConflicts(ids);
        for (const [id, conflict] of found) conflicts.set(id, conflict);
        return new Map([...found.keys()].map((id) => [id, conflictPoints]));
      },
    }),
  });
  const unread = selected.filter(({ facts }) => facts === undefined).map(({ taskId }) => taskId);
  const read = new Map(unread.length === 0 ? [] : (await store.ranks.getScoreFacts(unread)).map((one) => [one.task.id, one]));
  return selected.map(({ taskId, facts }) => {
    const { title, ...one } = facts ?? read.get(taskId)!;
    const { reasons, score } = scoreTask({ ...one, conflict: conflicts.get(taskId) }, { phase: session?.phase, today, caller }, claims);
    return { taskId, title, score, reasons };
  });
}

/** Finds the tasks that are assigned to others. Without assigned tasks nothing is loaded for it. */
export async function readReserved(
  ctx: Pick<QueryContext, 'store' | 'config' | 'platform' | 'caller' | 'token'>,
  { planned = [] }: OpenWork,
): Promise<Set<TaskId> | undefined> {
  if (!planned.some(({ assignee }) => assignee !== undefined)) return undefined;
  return (await import('./assignee.ts')).findReserved(ctx, planned);
}
