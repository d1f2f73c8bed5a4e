import { join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { requireTrusted } from '#core/require-trusted.ts';
import { splitCommand } from '#lib/split-command.ts';
import type { WorkItem } from '../../model/work-item.ts';
import { itemFile, parseWorkItem } from '../../rules/stored-work.ts';
import { getItemFolder, getWorktreeFolder, type WorkRun } from './work-run.ts';

const setupFile = 'setup.json';
const setupTimeoutMs = 1_800_000;

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
  files.writeNew(join(folder, '.gitignore'), '*\n', true);
}

/** Lists the names of the worktrees of tasks. */
export async function listWorktreeNames({ ctx, git }: Pick<WorkRun, 'ctx' | 'git'>): Promise<string[]> {
  const { files } = ctx.platform;
  const all = await git.listWorktrees(ctx.project.root);
  return all.flatMap(({ folder }) => {
    const name = /[/\\]\.cleo[/\\]worktrees[/\\]([^/\\]+)$/.exec(folder)?.[1];
    return name !== undefined && files.isSameFile(folder, getWorktreeFolder({ ctx }, name)) ? [name] : [];
  });
}

/** Creates the worktree of a task, or finds the one of an earlier round; returns the commit that its branch started from. */
export async function ensureWorktree(work: WorkRun, item: WorkItem): Promise<string> {
  const { ctx, git, runner, base } = work;
  const { root } = ctx.project;
  const { worktree, branch } = item;
  if (worktree === undefined || branch === undefined) return (await git.resolveCommit(root, 'HEAD')) ?? '';
  const folder = getWorktreeFolder(work, worktree);
  const isNew = await inGitQueue(async () => {
    if ((await listWorktreeNames(work)).includes(worktree)) return false;
    runner.work.write(item.taskId, setupFile, '{}', 'soon');
    if (await git.hasRef(root, `refs/heads/${branch}`)) await git.attachWorktree(root, folder, branch);
    else {
      await git.addWorktree(root, folder, base, branch);
      await addDependencies(work, item, folder);
    }
    return true;
  });
  if (isNew || runner.work.read(item.taskId, setupFile)?.includes('done') !== true) {
    await runSetup(work, item);
    runner.work.write(item.taskId, setupFile, '{"done":true}', 'soon');
  }
  if (item.start !== '') return item.start;
  return (isNew ? undefined : await git.findMergeBase(folder, base)) ?? (await git.resolveCommit(folder, 'HEAD')) ?? '';
}

/** Merges finished work on the dependencies of a task that is not in the base branch yet. Without it the agent would start from a state
 *  in which what it depends on does not exist. */
async function addDependencies(work: WorkRun, item: WorkItem, folder: string): Promise<void> {
  const { ctx, git, runner } = work;
  const depends = await ctx.read(async ({ tasks }) => (await tasks.get(item.taskId))?.depends ?? []);
  for (const id of depends) {
    const branch = parseWorkItem(runner.work.read(id, itemFile))?.branch;
    const commit = branch && (await git.resolveCommit(folder, `refs/heads/${branch}`));
    if (!commit || (await git.isCheckedOut(folder, commit))) continue;
    const merged = await git.merge(folder, commit, `Merge ${branch}, which ${item.taskId} depends on`);
    if ('commit' in merged) continue;
    throw new CleoError('E_DEPENDENCY_ERROR', {
      tool: 'git',
      problem: `${branch}, which ${item.taskId} depends on, cannot be merged: ${merged.conflicts.join(', ') || merged.problem}`,
      fix: `cleo work logs ${item.taskId}`,
    });
  }
}

/** Runs `work.setup` in a new worktree. */
async function runSetup(work: WorkRun, item: WorkItem): Promise<void> {
  const command = splitCommand(work.config['work.setup']);
  if (command.length === 0) return;
  await requireTrusted(work.ctx, { keys: ['work.setup'] });
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
  const { redactText } = await import('#lib/redact.ts');
  const output = redactText((ran.stderr.trim() || ran.stdout.trim()).split('\n').slice(-5).join(' ')).slice(-500);
  const end = ran.problem ?? (ran.stopped ? `was stopped (${ran.stopped})` : `exited with ${ran.exitCode ?? ran.signal}`);
  throw new CleoError('E_DEPENDENCY_ERROR', {
    tool: name,
    problem: `${end}${output ? `: ${output}` : ''}`,
    fix: `cleo config get ${name}`,
  });
}

/** Removes the worktree of an item and, if its work is in the base, its branch. */
export async function removeWorktree(work: Pick<WorkRun, 'ctx' | 'git'>, name: string): Promise<void> {
  await inGitQueue(() => work.git.removeWorktree(work.ctx.project.root, getWorktreeFolder(work, name)));
}
