import { array, type InferOutput, number, optional, picklist, strictObject, string } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import type { Claim } from '#core/model/audit.ts';
import { StatusSchema, type TaskId, TaskSizeSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { PlanTask, PlanWork } from '#tasks/model/open-work.ts';
import { TakenOverFrom } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';
import { indexHolders } from '#tasks/rules/claims.ts';
import { findFileConflicts, groupFilesByTask } from '#tasks/rules/file-conflicts.ts';
import { computeProgress, type StatusCount } from '../../rules/progress.ts';
import { computeWaves, type Waves } from '../../rules/waves.ts';

/** Fields that identify a task in every part of a plan. */
export const taskEntries = { id: string(), title: string(), status: StatusSchema };

export const WaveView = strictObject({
  wave: number(),
  tasks: array(strictObject({ ...taskEntries, size: optional(TaskSizeSchema), takenOverFrom: TakenOverFrom })),
});

export const BlockedTask = strictObject({
  ...taskEntries,
  /** `stated`: the task is blocked, with or without a text; `external`: it waits for a task outside the root; `waits`: for a task
   *  that is in no wave; `unfinished`: for a container without open tasks, which has to be completed. */
  reasons: array(
    strictObject({
      kind: picklist(['stated', 'external', 'waits', 'unfinished']),
      on: optional(string()),
      text: optional(string()),
      via: optional(string()),
    }),
  ),
});

export const ProgressView = strictObject({ done: number(), total: number(), percent: number() });

/** The saga, epic or task that the response is limited to. */
export const RootTask = strictObject({ ...taskEntries, type: TaskTypeSchema });

/** A file that several tasks of one wave touch. */
export const WaveConflict = strictObject({ wave: number(), file: string(), tasks: array(string()) });

export const analysisFields = {
  waves: array(WaveView),
  root: optional(RootTask),
  progress: ProgressView,
  parallelism: number(),
  criticalPath: array(string()),
  blocked: array(BlockedTask),
  externalBlockers: array(strictObject({ ...taskEntries, blocks: array(string()) })),
  conflicts: array(WaveConflict),
  cycles: array(array(string())),
};
const Analysis = strictObject(analysisFields);

type PlanContext = Pick<QueryContext, 'store' | 'now' | 'config' | 'platform'>;

export interface WorkPlan {
  root?: InferOutput<typeof RootTask>;
  work: PlanWork;
  schedule: Waves;
  getTask(id: TaskId): PlanTask;
}

/** Reads the open work below a root, or all of it, and schedules it in waves. */
export async function computePlan(store: ReadStore, rootId: TaskId | undefined): Promise<WorkPlan> {
  const hit = rootId ? await store.tasks.getHit(rootId) : undefined;
  if (rootId && !hit) throw await createNotFoundError(store, rootId);
  const tasks = await store.tasks.listOpenInSubtree(rootId);
  const work: PlanWork = {
    tasks,
    ancestors: tasks.filter(({ isAbove }) => isAbove).map(({ id }) => id),
    depends: await store.tasks.listOpenDependenciesInSubtree(rootId),
  };
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return {
    ...defined({ root: hit && { id: hit.id, title: hit.title, status: hit.status, type: hit.type } }),
    work,
    schedule: computeWaves(work),
    getTask: (id) => byId.get(id)!,
  };
}

/** Shows the waves. A task with a lapsed claim is free, and its row names the holder that it is taken over from. */
export const toWaveViews = ({ schedule, getTask }: WorkPlan, lapsed: Claim[]): InferOutput<typeof WaveView>[] => {
  const formerHolders = indexHolders(lapsed);
  return schedule.waves.map((ids, i) => ({
    wave: i + 1,
    tasks: ids.map((id) => {
      const { title, status, size } = getTask(id);
      return { id, title, status, ...defined({ size, takenOverFrom: formerHolders.get(id) }) };
    }),
  }));
};

export const toBlockedTasks = ({ schedule, getTask }: Pick<WorkPlan, 'schedule' | 'getTask'>): InferOutput<typeof BlockedTask>[] =>
  schedule.blocked.map(({ id, reasons }) => ({ id, title: getTask(id).title, status: getTask(id).status, reasons }));

export async function analyzePlan(ctx: PlanContext, plan: WorkPlan): Promise<InferOutput<typeof Analysis>> {
  const { store } = ctx;
  const { root, schedule } = plan;
  return {
    waves: toWaveViews(plan, (await listClaims(ctx)).lapsed),
    ...defined({ root }),
    progress: computeProgress(await countTasks(store, root?.id)),
    parallelism: schedule.waves.reduce((widest, wave) => Math.max(widest, wave.length), 0),
    criticalPath: schedule.criticalPath,
    blocked: toBlockedTasks(plan),
    externalBlockers: await listExternalBlockers(store, plan),
    conflicts: await listWaveConflicts(store, plan),
    cycles: schedule.cycles,
  };
}

/** Lists the files that tasks of one wave share, wave by wave. */
export async function listWaveConflicts(store: ReadStore, { root, schedule }: WorkPlan): Promise<InferOutput<typeof WaveConflict>[]> {
  const files = groupFilesByTask(await store.tasks.listFilesInSubtree(root?.id));
  return schedule.waves.flatMap((ids, i) => findFileConflicts(ids, files).conflicts.map((conflict) => ({ wave: i + 1, ...conflict })));
}

export async function listExternalBlockers(
  store: ReadStore,
  { schedule }: WorkPlan,
): Promise<InferOutput<typeof Analysis>['externalBlockers']> {
  const blocks = new Map(schedule.externalBlockers.map((blocker) => [blocker.id, blocker.blocks]));
  const hits = await store.tasks.getHits([...blocks.keys()]);
  return hits.map(({ id, title, status }) => ({ id, title, status, blocks: blocks.get(id)! }));
}

/** Counts tasks by type and status below a root, or all tasks. Archived tasks count as done. */
export async function countTasks(store: ReadStore, root: TaskId | undefined): Promise<StatusCount[]> {
  if (root) return store.tasks.countInSubtrees([root]);
  const counts = (await store.tasks.countByStatus()).filter(({ isCancelled }) => !isCancelled);
  return counts.map(({ type, status, archived, n }) => ({ type, status: archived ? 'done' : status, n }));
}

/** Lists all claims, split into live and lapsed ones, with the judge of their holders. */
export async function listClaims(ctx: PlanContext) {
  const claims = await ctx.store.claims.list();
  const { judge, isLapsed } = await createClaimJudge(ctx, claims);
  const live: Claim[] = [];
  const lapsed: Claim[] = [];
  for (const claim of claims) (isLapsed(claim) ? lapsed : live).push(claim);
  return { live, lapsed, judge };
}
