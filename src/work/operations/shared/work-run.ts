import { join } from 'node:path';
import type { JobContext } from '#core/define.ts';
import type { CallIdentity, CallReply } from '#core/job-call.ts';
import type { Config } from '#core/model/config.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { GitWorktrees } from '#platform/git-port.ts';
import type { Git } from '#platform/port.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { Usage } from '../../model/agent-event.ts';
import type { Profile } from '../../model/profile.ts';
import type { WorkItem, WorkOutcome, WorkProcess } from '../../model/work-item.ts';
import type { Budget } from '../../rules/budget.ts';
import { itemFile, processFile } from '../../rules/stored-work.ts';

/** One `cleo work` that is running. */
export interface WorkRun {
  ctx: JobContext;
  config: Config;
  runner: RunnerPlatform;
  git: Git & GitWorktrees;
  profile: Profile;
  validator: Profile;
  budget: Budget;
  /** The branch that worktrees start from. */
  base: string;
  isInPlace: boolean;
  /** The key of this process, which keeps the claims. */
  processKey: string;
  process: WorkProcess;
  /** Aborted when no further task is to be started: Ctrl-C, SIGTERM or `work stop`. */
  drain: AbortController;
  /** Aborted when running agents are to be ended. */
  kill: AbortController;
  /** Tasks that this run does not take again. */
  except: Set<TaskId>;
  active: Map<TaskId, ActiveTask>;
  results: TaskResult[];
}

/** A task that this process works on. */
export interface ActiveTask {
  item: WorkItem;
  /** Aborted when its agent is to be ended. */
  kill: AbortController;
  /** No further round is to be started. */
  isStopping: boolean;
  /** Files of the project folder that changed while the agent ran. */
  outside: Set<string>;
}

interface TaskResult {
  taskId: TaskId;
  title: string;
  outcome: WorkOutcome;
  agentId: string;
  rounds: number;
  durationMs: number;
  usage: Usage;
  branch?: string;
  commit?: string;
  note?: string;
}

export const getWorktreeFolder = ({ ctx }: Pick<WorkRun, 'ctx'>, name: string): string => join(ctx.project.folder, 'worktrees', name);

/** The folder with the files of worktrees that are done, for the next ones. */
export const getSpareFolder = (work: Pick<WorkRun, 'ctx'>): string => getWorktreeFolder(work, '.spare');

/** The folder that the agent of an item works in. */
export const getItemFolder = (work: Pick<WorkRun, 'ctx'>, { worktree }: Pick<WorkItem, 'worktree'>): string =>
  worktree === undefined ? work.ctx.project.root : getWorktreeFolder(work, worktree);

/** Makes a call as the agent of an item, from its folder. */
export const callAsAgent = (
  work: WorkRun,
  item: Pick<WorkItem, 'agentId' | 'worktree' | 'session'>,
  operation: string,
  params: Record<string, unknown>,
): Promise<CallReply> => {
  const identity: CallIdentity = { agent: item.agentId, folder: getItemFolder(work, item) };
  return work.ctx.call(operation, params, item.session === undefined ? identity : { ...identity, session: item.session });
};

/** Stores the state of an item. The file survives this process, and `work status` reads it. */
export function saveItem({ runner }: Pick<WorkRun, 'runner'>, item: WorkItem, change: Partial<WorkItem> = {}): void {
  Object.assign(item, change);
  runner.work.write(item.taskId, itemFile, `${JSON.stringify(item)}\n`, 'soon');
}

export function saveProcess({ runner, process }: Pick<WorkRun, 'runner' | 'process'>, change: Partial<WorkProcess> = {}): void {
  Object.assign(process, change);
  runner.work.write(process.workId, processFile, `${JSON.stringify(process)}\n`, 'soon');
}

/** Reports an event of a task to the terminal. */
export const report = ({ ctx }: Pick<WorkRun, 'ctx'>, event: string, taskId: TaskId, data: Record<string, unknown> = {}): void =>
  ctx.observe?.(event, data, { skill: taskId, execution_id: taskId });
