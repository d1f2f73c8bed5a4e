import { array, type InferOutput, number, optional, picklist, strictObject, string } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import type { Claim } from '#core/model/audit.ts';
import { Size, Status, type TaskId, TaskType } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import type { PlanTask, PlanWork } from '#tasks/model/open-work.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { isExpired } from '#tasks/rules/claims.ts';
import { fileConflicts } from '../../rules/file-conflicts.ts';
import { type Counted, progressOf } from '../../rules/progress.ts';
import { type Waves, waves } from '../../rules/waves.ts';

export const Wave = strictObject({
  wave: number(),
  tasks: array(strictObject({ id: string(), title: string(), status: Status, size: optional(Size) })),
});

export const Blocked = strictObject({
  id: string(),
  title: string(),
  status: Status,
  /** `stated`: somebody wrote why; `external`: it waits for something outside the root; `waits`: for something that is in no wave
   *  itself; `unfinished`: for a container with nothing left inside, which somebody has to complete. */
  reasons: array(
    strictObject({
      kind: picklist(['stated', 'external', 'waits', 'unfinished']),
      on: optional(string()),
      text: optional(string()),
      via: optional(string()),
    }),
  ),
});

export const Progress = strictObject({ done: number(), total: number(), percent: number() });

/** The saga, epic or task that the answer is about; without one it is about everything. */
export const RootTask = strictObject({ id: string(), title: string(), status: Status, type: TaskType });

export const analysis = {
  waves: array(Wave),
  root: optional(RootTask),
  progress: Progress,
  parallelism: number(),
  criticalPath: array(string()),
  blocked: array(Blocked),
  externalBlockers: array(strictObject({ id: string(), title: string(), status: Status, blocks: array(string()) })),
  conflicts: array(strictObject({ wave: number(), file: string(), tasks: array(string()) })),
  cycles: array(array(string())),
};
const Analysis = strictObject(analysis);

export interface Plan {
  root?: InferOutput<typeof RootTask>;
  work: PlanWork;
  found: Waves;
  taskOf(id: TaskId): PlanTask;
}

/** What is open inside a root, or everywhere, and in which order it can be done. */
export async function planOf(store: ReadStore, rootId: TaskId | undefined): Promise<Plan> {
  const hit = rootId ? await store.tasks.hit(rootId) : undefined;
  if (rootId && !hit) throw await notFound(store, rootId);
  const tasks = await store.tasks.openInside(rootId);
  const work: PlanWork = {
    tasks,
    above: tasks.filter(({ isAbove }) => isAbove).map(({ id }) => id),
    depends: await store.tasks.waitsInside(rootId),
  };
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return {
    ...(hit ? { root: { id: hit.id, title: hit.title, status: hit.status, type: hit.type } } : {}),
    work,
    found: waves(work),
    taskOf: (id) => byId.get(id)!,
  };
}

export const wavesOf = ({ found, taskOf }: Plan): InferOutput<typeof Wave>[] =>
  found.waves.map((ids, i) => ({
    wave: i + 1,
    tasks: ids.map((id) => {
      const { title, status, size } = taskOf(id);
      return { id, title, status, ...(size ? { size } : {}) };
    }),
  }));

export const blockedOf = ({ found, taskOf }: Pick<Plan, 'found' | 'taskOf'>): InferOutput<typeof Blocked>[] =>
  found.blocked.map(({ id, reasons }) => ({ id, title: taskOf(id).title, status: taskOf(id).status, reasons }));

/** Everything that `orchestrate.analyze` tells of a plan. */
export async function analyze(store: ReadStore, plan: Plan): Promise<InferOutput<typeof Analysis>> {
  const { root, found } = plan;
  return {
    waves: wavesOf(plan),
    ...(root ? { root } : {}),
    progress: progressOf(await countsOf(store, root?.id)),
    parallelism: found.waves.reduce((widest, wave) => Math.max(widest, wave.length), 0),
    criticalPath: found.criticalPath,
    blocked: blockedOf(plan),
    externalBlockers: await externalOf(store, plan),
    conflicts: fileConflicts(found.waves, await store.tasks.filesInside(root?.id)),
    cycles: found.cycles,
  };
}

export async function externalOf(store: ReadStore, { found }: Plan): Promise<InferOutput<typeof Analysis>['externalBlockers']> {
  const blocks = new Map(found.externalBlockers.map((one) => [one.id, one.blocks]));
  const hits = await store.tasks.hits([...blocks.keys()]);
  return hits.map(({ id, title, status }) => ({ id, title, status, blocks: blocks.get(id)! }));
}

/** What there is inside a root, or everywhere; what is archived was done. */
export async function countsOf(store: ReadStore, root: TaskId | undefined): Promise<Counted[]> {
  if (root) return store.tasks.countsInside([root]);
  return (await store.tasks.countsByStatus()).map(({ type, status, archived, n }) => ({ type, status: archived ? 'done' : status, n }));
}

/** The claims that have not lapsed, and those that have. */
export async function claimsOf({ store, now, config }: Pick<QueryContext, 'store' | 'now' | 'config'>) {
  const moment = await store.claims.moment(now);
  const live: Claim[] = [];
  const lapsed: Claim[] = [];
  for (const claim of await store.claims.all()) (isExpired(claim, moment, config['claims.ttlMinutes']) ? lapsed : live).push(claim);
  return { live, lapsed };
}
