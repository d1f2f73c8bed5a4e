import { join } from 'node:path';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { toPromptPath } from '#orchestration/operations/shared/write-prompts.ts';
import { getManifestPath, getOutputFolder } from '#research/rules/manifest.ts';
import type { WorkItem } from '../../model/work-item.ts';
import { noUsage } from '../../rules/agent-stream.ts';
import { createWorktreeName, findWorktreeName, toBranch } from '../../rules/names.ts';
import { isUnfinished, itemFile, parseWorkItem, parseWorkProcess, processFile } from '../../rules/stored-work.ts';
import { callAsAgent, saveItem, type WorkRun } from './work-run.ts';
import { workSteps } from './work-steps.ts';
import { forgetLostWorktrees, listWorktreeNames } from './worktree.ts';

const lockWaitMs = 30_000;

/** Finds the tasks that a dead `cleo work` of this machine left, and makes them those of this process. Its agents are killed first: two
 *  agents must not work on one task. */
export async function adoptItems(work: WorkRun, root: TaskId | undefined): Promise<WorkItem[]> {
  const { runner, kill } = work;
  const lock = await runner.acquireLock('work-resume', lockWaitMs, { signal: kill.signal, fix: 'cleo work status' });
  try {
    await forgetLostWorktrees(work);
    runner.cleanUpWork();
    const names = runner.work.list();
    const known = names.flatMap((name) => parseWorkItem(runner.work.read(name, itemFile)) ?? []);
    const dead = known.filter((item) => isUnfinished(item) && !runner.isAlive(item));
    for (const { runId } of dead) await runner.cleanUpRun(runId);
    const unrecorded = await findUnrecorded(work, names, known);
    const adopted: WorkItem[] = [];
    for (const item of [...dead, ...unrecorded]) {
      if (!(await isInside(work, item.taskId, root))) continue;
      const note = await takeOverClaim(work, item);
      if (note !== undefined) {
        saveItem(work, item, { state: 'stopped', note });
        continue;
      }
      // A clone can bring the file of an item, so the paths are not taken from it.
      Object.assign(item, getAgentPaths(work, item));
      if (!work.ctx.platform.files.exists(item.promptFile)) {
        // Killed before the prompt was written: the task is claimed anew.
        await callAsAgent(work, item, 'tasks.stop', { taskId: item.taskId });
        continue;
      }
      const { pid, began, boot } = runner.identifyProcess();
      const isWaiting = item.state === 'waiting';
      saveItem(work, item, {
        ...{ pid, began, boot, workId: work.process.workId, runId: runner.createRunId(), endedAt: undefined as never },
        profile: work.profile.name,
        ...(isWaiting ? {} : { state: 'working' as const }),
      });
      adopted.push(item);
    }
    forgetEndedProcesses(work, names, root);
    return adopted;
  } finally {
    lock.release();
  }
}

/** Removes the state of processes that have ended. That of a killed one shows which tasks it had claimed, so that it stays until a run of
 *  the whole project has resumed them. */
function forgetEndedProcesses({ runner }: WorkRun, names: string[], root: TaskId | undefined): void {
  for (const name of names) {
    const process = parseWorkProcess(runner.work.read(name, processFile));
    if (process && (process.endedAt !== undefined || root === undefined) && !runner.isAlive(process)) runner.work.remove(name);
  }
}

/** The prompt of an agent, and the folder for what it reports. */
const getAgentPaths = ({ ctx: { project }, config }: WorkRun, { taskId, agentId }: Pick<WorkItem, 'taskId' | 'agentId'>) => ({
  promptFile: join(project.root, toPromptPath(getManifestPath(config), agentId)),
  outputDir: join(project.root, getOutputFolder(config, taskId)),
});

async function isInside({ ctx }: WorkRun, taskId: TaskId, root: TaskId | undefined): Promise<boolean> {
  const ancestry = await ctx.runStep(workSteps.ancestry, { taskId });
  return ancestry.length > 0 && (root === undefined || ancestry.includes(root));
}

/** Makes the claim of an agent that of this process; returns why its agent cannot continue. */
async function takeOverClaim(
  { ctx, processKey, profile: { name, concurrency } }: WorkRun,
  { taskId, agentId, session }: WorkItem,
): Promise<string | undefined> {
  const holder = { agent: agentId, process: processKey, ...defined({ session }) };
  return (await ctx.runStep(workSteps.adopt, { taskId, holder, profile: { name, concurrency } })).obstacle;
}

/** Finds tasks that a dead process claimed and did not record: it was killed between the two. */
async function findUnrecorded(work: WorkRun, names: string[], known: WorkItem[]): Promise<WorkItem[]> {
  const { ctx, runner, profile, base } = work;
  const dead = new Set(
    names.flatMap((name) => {
      const process = parseWorkProcess(runner.work.read(name, processFile));
      return process && !runner.isAlive(process) ? [process.workId] : [];
    }),
  );
  if (dead.size === 0) return [];
  const claimed = await ctx.runStep(workSteps.claimed, { workIds: [...dead] });
  const found = claimed.filter(({ agent }) => !known.some((item) => item.agentId === agent && isUnfinished(item)));
  const worktrees = found.length > 0 ? await listWorktreeNames(work) : [];
  return found.map(({ taskId, agent, session, at, title }): WorkItem => {
    const worktree = work.isInPlace ? undefined : (findWorktreeName(taskId, worktrees) ?? createWorktreeName(taskId, title));
    return {
      ...runner.identifyProcess(),
      ...{ taskId, title, agentId: agent, profile: profile.name, runId: runner.createRunId(), workId: work.process.workId },
      ...defined({ worktree, branch: worktree && toBranch(worktree), session }),
      ...getAgentPaths(work, { taskId, agentId: agent }),
      ...{
        base,
        start: '',
        round: 1,
        state: 'working',
        startedAt: at,
        usage: noUsage,
        lastLine: '',
      },
    };
  });
}
