import { join } from 'node:path';
import type { MutationContext, QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Config } from '#core/model/config.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { type PreparedSpawn, prepareSpawn, readSpawnInputs } from '#orchestration/operations/shared/prepare-spawn.ts';
import { listClaims } from '#planning/operations/shared/plan.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { recommendTasks } from '#tasks/operations/shared/recommend.ts';
import { createWorktreeName, findWorktreeName, parseSlotAgent, toBranch } from '../../rules/names.ts';
import { findFullLabel, findFullLimit, findObstacle, type RunningTask, type SelectionLimits } from '../../rules/selection.ts';
import { formatWorktreeRules } from '../../rules/work-prompts.ts';
import type { OwnProfile } from './own-profile.ts';

export interface Candidate {
  task: TaskRecord;
}

interface Obstacle {
  taskId: TaskId;
  reason: string;
}

interface SelectionParams {
  retry?: boolean | undefined;
  unmerged?: TaskId[] | undefined;
  except?: TaskId[] | undefined;
}

/** Tasks that are looked at in one selection. */
const maxCandidates = 1000;

/** Lists the tasks that can be started now, best first, and why others that are ready cannot. */
export async function listCandidates(
  ctx: QueryContext,
  root: TaskId | undefined,
  profile: OwnProfile,
  { retry = false, unmerged = [], except = [] }: SelectionParams,
): Promise<{ candidates: Candidate[]; obstacles: Obstacle[]; limit?: string }> {
  const { store, config } = ctx;
  const limits = createLimits({ ...config, ...defined({ 'work.capabilities': profile.capabilities }) }, profile, retry);
  const running = await listRunning(ctx);
  const limit = findFullLimit(limits, running);
  if (limit !== undefined) return { candidates: [], obstacles: [], limit };
  const ranked = await recommendTasks(ctx, root, maxCandidates);
  const tasks = new Map((await store.tasks.getMany(ranked.map(({ taskId }) => taskId))).map((task) => [task.id, task]));
  const waiting = unmerged.length > 0 ? await store.tasks.getMany(unmerged) : [];
  const candidates: Candidate[] = [];
  const obstacles: Obstacle[] = [];
  for (const { taskId, reasons } of ranked) {
    const task = tasks.get(taskId);
    if (!task || except.includes(taskId)) continue;
    const shared = reasons.find(({ points }) => points < 0)?.term;
    const reason = findObstacle(task, limits, running, waiting) ?? shared;
    if (reason === undefined) candidates.push({ task });
    else obstacles.push({ taskId, reason });
  }
  return { candidates, obstacles };
}

/** Returns the limit over all machines that leaves no room to resume a task. One whose claim is live is counted already; after its claim has
 *  lapsed, other machines may have used the room. */
export async function findResumeLimit(ctx: QueryContext, taskId: TaskId, profile: ProfileLimit): Promise<string | undefined> {
  const running = await listRunning(ctx);
  if (running.some(({ id }) => id === taskId)) return undefined;
  const limits = createLimits(ctx.config, profile, false);
  const task = await ctx.store.tasks.get(taskId);
  return findFullLimit(limits, running) ?? (task && findFullLabel(task, limits, running));
}

type ProfileLimit = Pick<OwnProfile, 'name' | 'concurrency'>;

function createLimits(config: Config, { name, concurrency }: ProfileLimit, isRetry: boolean): SelectionLimits {
  const prefix = 'work.labels.';
  const labels = Object.entries(config).flatMap(([key, value]): [string, number][] =>
    key.startsWith(prefix) && typeof value === 'number' ? [[key.slice(prefix.length), value]] : [],
  );
  return {
    profile: name,
    concurrency,
    maxParallel: config['work.maxParallel'],
    labels: new Map(labels),
    capabilities: config['work.capabilities'],
    isRetry,
  };
}

/** Lists the tasks that agents of `cleo work` work on, on all machines: those whose holder was spawned by a slot agent. */
export async function listRunning(ctx: QueryContext): Promise<RunningTask[]> {
  const { store } = ctx;
  const { live } = await listClaims(ctx);
  if (live.length === 0) return [];
  const spawns = new Map((await store.spawns.listLatest(live.map(({ taskId }) => taskId))).map((spawn) => [spawn.taskId, spawn]));
  const slots = live.flatMap(({ taskId, agent }) => {
    const spawn = spawns.get(taskId);
    const slot = spawn?.agent === agent ? parseSlotAgent(spawn.spawnedBy) : undefined;
    return slot ? [{ id: taskId, profile: slot.profile }] : [];
  });
  const tasks = new Map((await store.tasks.getMany(slots.map(({ id }) => id))).map((task) => [task.id, task]));
  return slots.map((slot) => ({ ...slot, labels: tasks.get(slot.id)?.labels ?? [] }));
}

interface Workspace {
  isInPlace: boolean;
  /** Names of the worktrees that exist. */
  worktrees: string[];
  profile: OwnProfile;
}

/** Prepares the prompt of a task for its worktree, or says why no agent can be spawned for it. */
export async function prepareCandidate(
  ctx: MutationContext,
  { task }: Candidate,
  { isInPlace, worktrees, profile }: Workspace,
): Promise<{ obstacle: Obstacle } | { spawn: PreparedSpawn; worktree?: string; branch?: string }> {
  const name = findWorktreeName(task.id, worktrees) ?? createWorktreeName(task.id, task.title);
  const place = isInPlace ? {} : { worktree: name, branch: toBranch(name) };
  const folder = isInPlace ? profile.root : join(profile.worktrees, name);
  try {
    const spawn = await prepareSpawn(ctx, await readSpawnInputs(ctx), task, {
      role: 'worker',
      tier: 0,
      folder,
      folderRules: formatWorktreeRules(place.branch),
    });
    const [finding] = spawn.findings;
    return finding ? { obstacle: { taskId: task.id, reason: `${finding.message}; fix: ${finding.fix}` } } : { spawn, ...place };
  } catch (error) {
    // The lifecycle stage of this task has not begun; others may be of an earlier one.
    if (error instanceof CleoError && error.row === 'E_LIFECYCLE_GATE_FAILED')
      return { obstacle: { taskId: task.id, reason: `${error.message}; fix: ${error.fix}` } };
    throw error;
  }
}
