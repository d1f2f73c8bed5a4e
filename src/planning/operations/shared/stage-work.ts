import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { Ancestor } from '#store/port/tasks.ts';
import type { StageName } from '../../model/lifecycle.ts';
import { type EpicWork, getProtocolStage, type StageWork } from '../../rules/lifecycle.ts';

export type StageContext = Pick<QueryContext, 'store' | 'platform'>;

/** Groups the tasks of an epic by the stage they belong to. A task that has subtasks is left out; its subtasks count. */
export async function readEpicWork(ctx: StageContext, epicId: TaskId): Promise<EpicWork> {
  const { store } = ctx;
  const leaves = await listLeaves(store, epicId);
  const ids = leaves.map(({ id }) => id);
  const stages = await findTaskStages(ctx, ids);
  const running = new Set([...(await store.spawns.listLatest(ids)), ...(await store.claims.listForTasks(ids))].map(({ taskId }) => taskId));
  const work = new Map<StageName, StageWork>();
  for (const task of leaves) {
    const stage = stages.get(task.id);
    if (!stage) continue;
    const tasks = work.get(stage) ?? { done: [], open: [], running: [] };
    work.set(stage, tasks);
    (isDone(task) ? tasks.done : tasks.open).push(task.id);
    if (!isDone(task) && running.has(task.id)) tasks.running.push(task.id);
  }
  return work;
}

/** Finds the active stage that a completed task was the last open task of. */
export async function findStageToComplete(
  ctx: StageContext,
  taskId: TaskId,
  ancestry?: Ancestor[],
): Promise<{ epicId: TaskId; stage: StageName } | undefined> {
  const { store } = ctx;
  const epicId = (ancestry ?? (await store.tasks.getAncestry(taskId))).find(({ type }) => type === 'epic')?.id;
  if (epicId === undefined) return undefined;
  const active = (await store.lifecycle.listStages(epicId)).filter(({ status }) => status === 'active').map(({ stage }) => stage);
  if (active.length === 0) return undefined;
  const stage = (await findTaskStages(ctx, [taskId])).get(taskId);
  if (!stage || !active.includes(stage)) return undefined;
  const open = (await listLeaves(store, epicId)).filter((task) => !isDone(task)).map(({ id }) => id);
  // In chunks, because most of a thousand open tasks belong to one stage, and one of them is enough.
  for (let at = 0; at < open.length; at += chunkSize)
    if ([...(await findTaskStages(ctx, open.slice(at, at + chunkSize))).values()].includes(stage)) return undefined;
  return { epicId, stage };
}

const chunkSize = 50;

const isDone = ({ status, archivedAt }: Ancestor): boolean => status === 'done' || archivedAt !== undefined;

async function listLeaves(store: ReadStore, epicId: TaskId): Promise<Ancestor[]> {
  const below = await store.tasks.listDescendants(epicId);
  const parents = new Set(below.map(({ parentId }) => parentId));
  return below.filter(({ id }) => !parents.has(id));
}

/** Finds the stage of each task: that of the protocol it was last spawned with, or else of the protocol that its text matches. */
async function findTaskStages({ store, platform }: StageContext, ids: TaskId[]): Promise<Map<TaskId, StageName>> {
  const { dispatchSkill } = await import('#skills/rules/dispatch-skill.ts');
  const { skills, rows } = await platform.skills.loadOfStore(platform.getProject());
  const protocols = new Map((await store.spawns.listLatest(ids)).map(({ taskId, protocol }) => [taskId, protocol]));
  return new Map(
    (await store.tasks.getMany(ids)).map((task) => [
      task.id,
      getProtocolStage(protocols.get(task.id) ?? dispatchSkill(task, skills, rows).protocol),
    ]),
  );
}
