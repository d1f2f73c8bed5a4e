import type { TaskId } from '#core/model/scalars.ts';
import { addToList } from '#lib/collections.ts';
import { findSharedFiles } from '#tasks/rules/file-conflicts.ts';

export const attentionLabel = 'needs-attention';

/** A task as the selection sees it. */
export interface WorkTask {
  id: TaskId;
  labels: string[];
  files: string[];
  depends: TaskId[];
  /** Capabilities that its machine needs. */
  requires?: string[] | undefined;
}

/** A task that an agent of `cleo work` works on, on any machine. */
export interface RunningTask {
  id: TaskId;
  labels: string[];
  profile: string;
}

export interface SelectionLimits {
  profile: string;
  /** Agents of the profile at the same time; 0 means no limit. */
  concurrency: number;
  maxParallel: number;
  /** Agents on tasks with a label at the same time. */
  labels: ReadonlyMap<string, number>;
  capabilities: string[];
  /** Takes tasks that were given up. */
  isRetry: boolean;
}

/** Returns the limit that leaves no room for any task, over all machines. */
export function findFullLimit({ profile, concurrency, maxParallel }: SelectionLimits, running: RunningTask[]): string | undefined {
  if (maxParallel > 0 && running.length >= maxParallel) return `work.maxParallel is ${maxParallel}`;
  const ofProfile = running.filter((task) => task.profile === profile).length;
  return concurrency > 0 && ofProfile >= concurrency ? `profiles.${profile}.concurrency is ${concurrency}` : undefined;
}

/** Returns why a task cannot be started now; undefined if it can. `unmerged` are tasks whose work is not in the base branch yet. */
export function findObstacle(task: WorkTask, limits: SelectionLimits, running: RunningTask[], unmerged: WorkTask[]): string | undefined {
  if (task.labels.includes(attentionLabel) && !limits.isRetry) return `it has the label ${attentionLabel}; --retry ignores it`;
  const lacking = (task.requires ?? []).filter((name) => !limits.capabilities.includes(name));
  if (lacking.length > 0) return `it requires ${lacking.join(', ')}`;
  const full = findFullLabel(task, limits, running);
  if (full !== undefined) return full;
  const dependency = unmerged.find(({ id }) => task.depends.includes(id));
  if (dependency) return `the work on ${dependency.id} is not in the base branch yet`;
  const shared = findSharedFiles(new Map([[task.id, task.files]]), new Map(unmerged.map(({ id, files }) => [id, files]))).get(task.id);
  return shared && `${shared.file} is changed by ${shared.taskId}, whose work is not in the base branch yet`;
}

/** Returns the limit of a label that leaves no room for a task, over all machines. */
export function findFullLabel(
  { labels }: Pick<WorkTask, 'labels'>,
  limits: Pick<SelectionLimits, 'labels'>,
  running: RunningTask[],
): string | undefined {
  const full = labels.find((label) => {
    const limit = limits.labels.get(label) ?? 0;
    return limit > 0 && running.filter((task) => task.labels.includes(label)).length >= limit;
  });
  return full && `work.labels.${full} is ${limits.labels.get(full)}`;
}

/** Groups tasks by the reason why they cannot be started. */
export function groupObstacles(obstacles: { taskId: TaskId; reason: string }[]): { reason: string; tasks: TaskId[] }[] {
  const groups = new Map<string, TaskId[]>();
  for (const { taskId, reason } of obstacles) addToList(groups, reason, taskId);
  return [...groups].map(([reason, tasks]) => ({ reason, tasks }));
}
