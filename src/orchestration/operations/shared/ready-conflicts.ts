import type { QueryContext } from '#core/define.ts';
import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { listClaims } from '#planning/operations/shared/plan.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { formatHolder, isHolder } from '#tasks/rules/claims.ts';
import { type FileConflict, findFileConflicts, findSharedFiles, groupFilesByTask } from '#tasks/rules/file-conflicts.ts';
import type { SpawnRecord } from '../../model/spawn.ts';

type ConflictContext = Pick<QueryContext, 'store' | 'now' | 'config' | 'caller' | 'platform'>;

interface ReadyConflicts {
  /** Files that a candidate shares with other candidates or with tasks that are worked on. */
  conflicts: FileConflict[];
  /** Candidates to start later: they share a file with a task that is worked on or with a candidate before them. */
  deferred: Set<TaskId>;
  /** Candidates that were spawned and not started yet, with their agents. */
  outstanding: Map<TaskId, string>;
}

/** Finds file conflicts among the ready tasks of a root. Tasks of other agents come first, wherever they are in the project, then the
 *  caller's and those that were already spawned, then the other candidates in the given order. */
export async function findReadyConflicts(ctx: ConflictContext, root: TaskId | undefined, candidates: TaskId[]): Promise<ReadyConflicts> {
  const { store, caller } = ctx;
  const files = new Map(groupFilesByTask(await store.tasks.listFilesInSubtree(root)));
  const outstanding = await listOutstanding(ctx, candidates);
  const { live } = await listClaims(ctx);
  const claimed = live.toSorted((a, b) => Number(isHolder(a, caller)) - Number(isHolder(b, caller))).map(({ taskId }) => taskId);
  for (const { id, files: paths } of await store.tasks.getMany(claimed)) if (paths.length > 0) files.set(id, paths);
  const ids = [...new Set([...claimed, ...outstanding.keys(), ...candidates])].filter((id) => files.has(id));
  const { conflicts, deferred } = findFileConflicts(ids, files);
  const isCandidate = new Set(candidates);
  return { conflicts: conflicts.filter(({ tasks }) => tasks.some((id) => isCandidate.has(id))), deferred, outstanding };
}

/** Warns if a task shares a file with a task that another agent works on. */
export async function warnSharedFiles(ctx: ConflictContext, task: TaskRecord): Promise<string[]> {
  if (task.files.length === 0) return [];
  const { live } = await listClaims(ctx);
  const claims = new Map<TaskId, Claim>(live.filter(({ taskId }) => taskId !== task.id).map((claim) => [claim.taskId, claim]));
  const busy = new Map((await ctx.store.tasks.getMany([...claims.keys()])).map(({ id, files }) => [id, files]));
  const shared = findSharedFiles(new Map([[task.id, task.files]]), busy).get(task.id);
  if (!shared) return [];
  const holder = formatHolder(claims.get(shared.taskId)!);
  return [
    `${task.id} touches ${shared.file}, and so does ${shared.taskId}, which ${holder} works on; start the agent after ${shared.taskId} is done`,
  ];
}

async function listOutstanding({ store }: ConflictContext, candidates: TaskId[]): Promise<Map<TaskId, string>> {
  const spawns = await store.spawns.listLatest(candidates);
  const tasks = new Map((await store.tasks.getMany(spawns.map(({ taskId }) => taskId))).map((task) => [task.id, task]));
  const isOpen = (spawn: SpawnRecord): boolean => {
    const task = tasks.get(spawn.taskId);
    return task !== undefined && isOutstanding(spawn, task);
  };
  return new Map(spawns.filter(isOpen).map(({ taskId, agent }) => [taskId, agent]));
}

/** True if the task has not changed since it was spawned. */
export const isOutstanding = (spawn: SpawnRecord, task: TaskRecord): boolean => task.status === 'pending' && spawn.at >= task.updatedAt;
