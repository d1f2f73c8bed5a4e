import { dirname, join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { splitCommand } from '#lib/shell-words.ts';
import type { WorkItem } from '../../model/work-item.ts';
import { toBranch } from '../../rules/names.ts';
import { itemFile, parseWorkItem } from '../../rules/stored-work.ts';
import { listProcesses } from './stored-items.ts';
import { getItemFolder, getSpareFolder, getWorktreeFolder, type WorkRun } from './work-run.ts';
import { workSteps } from './work-steps.ts';

const setupFile = 'setup.json';
/** The states of a new worktree: its files are written, they are there, and `work.setup` has run. */
const [started, filled, ready] = ['started', 'filled', 'done'].map((state) => JSON.stringify({ [state]: true })) as [
  string,
  string,
  string,
];
const setupTimeoutMs = 1_800_000;
/** After a power failure the lock of git stays. */
const orphanWaitMs = 30_000;
const pollMs = 100;

/** Worktrees are added one after another: git locks the list of worktrees. */
let queue: Promise<unknown> = Promise.resolve();

export function inGitQueue<T>(change: () => Promise<T>): Promise<T> {
  const result = queue.then(change);
  queue = result.catch(() => {});
  return result;
}

/** Creates the folder of all worktrees, which git ignores. */
export function createWorktreesFolder({ ctx }: Pick<WorkRun, 'ctx'>): void {
  const { files } = ctx.platform;
  const folder = join(ctx.project.folder, 'worktrees');
  files.createFolder(folder, true);
  const ignore = join(folder, '.gitignore');
  if (!files.exists(ignore)) files.writeNew(ignore, '*\n', true);
}

/** Lists the names of the worktrees of tasks. */
export async function listWorktreeNames({ ctx, git }: Pick<WorkRun, 'ctx' | 'git'>): Promise<string[]> {
  const { files } = ctx.platform;
  const all = await git.listWorktrees(ctx.project.root);
  return all.flatMap(({ folder }) => {
    const name = /[/\\]\.cleo[/\\]worktrees[/\\]([^/\\]+)$/.exec(folder)?.[1];
    // The folder of a worktree that was being removed when its process was killed may be gone.
    const isOurs = name !== undefined && files.exists(join(folder, '.git')) && files.isSameFile(folder, getWorktreeFolder({ ctx }, name));
    return isOurs ? [name] : [];
  });
}

/** Creates the worktree of a task, or finds the one of an earlier round; returns the commit that its branch started from. */
export async function ensureWorktree(work: WorkRun, item: WorkItem): Promise<string> {
  const { ctx, git, runner, base } = work;
  const { worktree, branch } = item;
  if (worktree === undefined || branch === undefined) return (await git.resolveCommit(ctx.project.root, 'HEAD')) ?? '';
  const folder = getWorktreeFolder(work, worktree);
  const isNew = await inGitQueue(() => ensureFiles(work, item, folder, branch));
  if (runner.work.read(item.taskId, setupFile) !== ready) {
    await inGitQueue(() => addDependencies(work, item, folder));
    await runSetup(work, item);
    runner.work.write(item.taskId, setupFile, ready, 'soon');
  }
  if (item.start !== '') return item.start;
  return (isNew ? undefined : await git.findMergeBase(folder, base)) ?? (await git.resolveCommit(folder, 'HEAD')) ?? '';
}

/** Adds the worktree of an item unless it exists; true if it did not. */
async function ensureFiles(work: WorkRun, { taskId, worktree = '' }: WorkItem, folder: string, branch: string): Promise<boolean> {
  const { ctx, git, runner, base } = work;
  const { root } = ctx.project;
  if ((await listWorktreeNames(work)).includes(worktree)) {
    if (runner.work.read(taskId, setupFile) !== started) return false;
    // Killed while the files were written. No agent was in it yet. Git may still be at it: it outlives the process that started it.
    const end = runner.monotonicMs() + orphanWaitMs;
    while (git.isBusy(folder) && runner.monotonicMs() < end) await runner.sleep(pollMs, work.kill.signal);
    await git.removeWorktree(root, folder);
  }
  runner.work.write(taskId, setupFile, started, 'soon');
  const isKnown = await git.hasRef(root, `refs/heads/${branch}`);
  await git.addWorktree(root, folder, isKnown ? { branch } : { branch, start: base }, getSpareFolder(work));
  runner.work.write(taskId, setupFile, filled, 'soon');
  return true;
}

/** Merges finished work on the dependencies of a task that is not in the base branch yet. Without it the agent would start from a state
 *  in which what it depends on does not exist. */
async function addDependencies(work: WorkRun, item: WorkItem, folder: string): Promise<void> {
  const { ctx, git, runner } = work;
  const { depends } = await ctx.runStep(workSteps.task, { taskId: item.taskId });
  for (const id of depends) {
    const own = parseWorkItem(runner.work.read(id, itemFile))?.branch;
    const local = own && (await git.resolveCommit(folder, `refs/heads/${own}`));
    const found = local ? { branch: own, commit: local } : await fetchWork(work, id);
    if (!found || (await git.isCheckedOut(folder, found.commit))) continue;
    const { branch, commit } = found;
    const merged = await git.merge(folder, commit, `Merge ${branch}, which ${item.taskId} depends on`);
    if ('commit' in merged) continue;
    throw new CleoError('E_DEPENDENCY_ERROR', {
      tool: 'git',
      problem: `${branch}, which ${item.taskId} depends on, cannot be merged: ${merged.conflicts.join(', ') || merged.problem}`,
      fix: `cleo work logs ${item.taskId}`,
    });
  }
}

/** Fetches the branch that another machine has pushed for a task. In the other modes nothing is pushed. */
async function fetchWork({ ctx, git, config }: WorkRun, id: TaskId): Promise<{ branch: string; commit: string } | undefined> {
  const { root } = ctx.project;
  const remote = config['work.integrate'] === 'pr' ? await git.getRemote(root) : undefined;
  return remote === undefined ? undefined : git.fetchBranch(root, remote, [toBranch(id), toBranch(`${id}-*`)]);
}

/** Runs `work.setup` in a new worktree. */
async function runSetup(work: WorkRun, item: WorkItem): Promise<void> {
  const command = splitCommand(work.config['work.setup']);
  if (command.length === 0) return;
  await (await work.ctx.platform.loadTrust()).requireTrusted(work.ctx.project, { keys: ['work.setup'] });
  await runCommand(work, command, getItemFolder(work, item), setupTimeoutMs, 'work.setup');
}

/** Runs a configured command; throws with the end of its output if it fails. */
export async function runCommand(
  { ctx, kill }: Pick<WorkRun, 'ctx' | 'kill'>,
  command: string[],
  folder: string,
  timeoutMs: number,
  name: string,
): Promise<void> {
  const ran = await ctx.platform.runProgram(command, { folder, timeoutMs, signal: kill.signal });
  if (ran.exitCode === 0) return;
  const { redactOutput } = await import('#lib/secret-places.ts');
  const output = redactOutput(ran.stderr.trim() || ran.stdout.trim())
    .split('\n')
    .slice(-5)
    .join(' ')
    .slice(-500);
  const end = ran.problem ?? (ran.stopped ? `was stopped (${ran.stopped})` : `exited with ${ran.exitCode ?? ran.signal}`);
  throw new CleoError('E_DEPENDENCY_ERROR', {
    tool: name,
    problem: `${end}${output ? `: ${output}` : ''}`,
    fix: `cleo config get ${name}`,
  });
}

/** Adds a detached worktree at a commit. */
export async function addDetachedWorktree(work: Pick<WorkRun, 'ctx' | 'git'>, name: string, commit: string): Promise<void> {
  const { ctx, git } = work;
  await inGitQueue(() => git.addWorktree(ctx.project.root, getWorktreeFolder(work, name), { commit }, getSpareFolder(work)));
}

/** Removes a worktree. */
export async function removeWorktree(work: Pick<WorkRun, 'ctx' | 'git'>, name: string): Promise<void> {
  await inGitQueue(() => work.git.removeWorktree(work.ctx.project.root, getWorktreeFolder(work, name)));
}

/** Removes a worktree whose work is done. The next worktree gets its files. */
export async function retireWorktree(work: WorkRun, name: string): Promise<void> {
  const { ctx, git } = work;
  await inGitQueue(() => git.removeWorktree(ctx.project.root, getWorktreeFolder(work, name), getSpareFolder(work)));
}

/** Removes what is left of worktrees whose folder was taken away when their process was killed. */
export async function forgetLostWorktrees(work: WorkRun): Promise<void> {
  const { ctx, git, runner, process, isInPlace } = work;
  // Another one may just be adding its worktree.
  if (isInPlace || listProcesses(runner).some(({ workId }) => workId !== process.workId)) return;
  const { files } = ctx.platform;
  for (const { folder } of await git.listWorktrees(ctx.project.root))
    if (files.isSameFile(dirname(folder), getWorktreeFolder(work, '')) && !files.exists(join(folder, '.git')))
      await inGitQueue(() => git.removeWorktree(ctx.project.root, folder));
}

/** Removes the spares, unless another `cleo work` uses them. */
export function removeSpares(work: Pick<WorkRun, 'ctx' | 'git' | 'runner'>): void {
  if (listProcesses(work.runner).length === 0) work.git.removePool(getSpareFolder(work));
}
