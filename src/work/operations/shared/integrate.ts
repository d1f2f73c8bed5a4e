import { CleoError } from '#core/errors/error.ts';
import { splitCommand } from '#lib/shell-words.ts';
import type { WorkItem } from '../../model/work-item.ts';
import { type BaseMove, decideBaseMove } from '../../rules/integration.ts';
import { getItemFolder, getWorktreeFolder, type WorkRun } from './work-run.ts';
import { inGitQueue, listWorktreeNames, runCommand } from './worktree.ts';

type Integration =
  | { isWaiting: boolean; note?: string }
  /** The work does not pass. `isFinal`: another round would not help. */
  | { findings: string[]; isFinal: boolean };

/** Uses the finished work of an item as `work.integrate` says. */
export async function integrate(work: WorkRun, item: WorkItem): Promise<Integration> {
  const mode = work.config['work.integrate'];
  if (item.branch === undefined || item.commit === undefined) return { isWaiting: false };
  if (mode === 'branch') return { isWaiting: false };
  if (mode === 'pr') return pushBranch(work, item, item.branch);
  try {
    return await mergeBranch(work, item, item.branch);
  } catch (error) {
    // Ctrl-C twice during `work.verify`, or while another merge is waited for. The work is done and is merged by the next run.
    if (work.kill.signal.aborted && error instanceof CleoError) return { isWaiting: true, note: formatWaiting(work, 'stopped') };
    throw error;
  }
}

const formatWaiting = ({ base }: WorkRun, reason: string): string => `waits to be merged into ${base}: ${reason}`;

const lockWaitMs = 3_600_000;
const verifyTimeoutMs = 3_600_000;
const integrationWorktree = 'integration';

/** Merges the branch of an item in a worktree of its own and moves the base to the result, one item at a time. */
async function mergeBranch(work: WorkRun, item: WorkItem, branch: string): Promise<Integration> {
  const { ctx, git, runner, base, config, kill } = work;
  const { root } = ctx.project;
  const lock = await runner.acquireLock('work-integrate', lockWaitMs, { signal: kill.signal, fix: 'cleo work status' });
  try {
    const from = await git.resolveCommit(root, `refs/heads/${base}`);
    const commit = await git.resolveCommit(root, `refs/heads/${branch}`);
    if (from === undefined || commit === undefined)
      return { findings: [`The branch ${from === undefined ? base : branch} does not exist.`], isFinal: true };
    if (await git.isAncestor(root, commit, from)) return { isWaiting: false };
    const folder = getWorktreeFolder(work, integrationWorktree);
    await inGitQueue(async () => {
      if ((await listWorktreeNames(work)).includes(integrationWorktree)) await git.resetTo(folder, from);
      else await git.addWorktree(root, folder, { commit: from });
    });
    const merged = await git.merge(folder, commit, `${item.taskId}: ${item.title}`);
    if (!('commit' in merged)) {
      const files = merged.conflicts.join(', ');
      return {
        findings: [
          files
            ? `The branch ${branch} cannot be merged into ${base}: conflicts in ${files}. Merge ${base} into it, and resolve them.`
            : `The branch ${branch} cannot be merged into ${base}: ${merged.problem}.`,
        ],
        isFinal: true,
      };
    }
    const verify = splitCommand(config['work.verify']);
    if (verify.length > 0) {
      await (await ctx.platform.loadTrust()).requireTrusted(ctx.project, { keys: ['work.verify'] });
      try {
        await runCommand(work, verify, folder, verifyTimeoutMs, 'work.verify');
      } catch (error) {
        if (kill.signal.aborted || !(error instanceof CleoError) || error.row !== 'E_DEPENDENCY_ERROR') throw error;
        return { findings: [`After a merge with ${base} the check fails: ${error.message}.`], isFinal: false };
      }
    }
    const reason = await moveBase(work, merged.commit, from);
    return reason === undefined
      ? { isWaiting: false, note: `merged into ${base}` }
      : { isWaiting: true, note: formatWaiting(work, reason) };
  } finally {
    lock.release();
  }
}

async function findBaseMove({ ctx, git, base }: WorkRun): Promise<BaseMove> {
  const worktrees = await git.listWorktrees(ctx.project.root);
  const found = worktrees.find(({ branch }) => branch === base);
  const isMainWorktree = found !== undefined && found === worktrees[0];
  const isClean = found !== undefined && (await git.listUncommitted(found.folder)).length === 0;
  return decideBaseMove({ branch: base, checkedOutIn: found?.folder, isMainWorktree, isClean });
}

/** True unless the state of the checkout keeps finished work from being merged. */
export const canIntegrate = async (work: WorkRun): Promise<boolean> =>
  work.config['work.integrate'] !== 'merge' || (await findBaseMove(work)).how !== 'wait';

/** Moves the base branch to a commit; returns why it cannot move now. */
async function moveBase(work: WorkRun, commit: string, from: string): Promise<string | undefined> {
  const { ctx, git, base } = work;
  const { root } = ctx.project;
  const move = await findBaseMove(work);
  if (move.how === 'wait') return move.reason;
  return move.how === 'update-ref' ? git.moveBranch(root, base, commit, from) : git.fastForward(move.folder, commit);
}

/** Pushes the branch and opens a pull request with `gh`, or says how to. */
async function pushBranch(work: WorkRun, item: WorkItem, branch: string): Promise<Integration> {
  const { ctx, git, base } = work;
  const folder = getItemFolder(work, item);
  const remote = await git.getRemote(ctx.project.root);
  if (remote === undefined) return { isWaiting: true, note: 'cannot be pushed: the repository has no remote' };
  try {
    await git.push(folder, remote, [branch]);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return { isWaiting: true, note: `cannot be pushed: ${error.message}` };
  }
  const title = `${item.taskId}: ${item.title}`;
  const command = ['gh', 'pr', 'create', '--head', branch, '--base', base, '--title', title, '--body', `Done by ${item.agentId}.`];
  const ran = await ctx.platform.runProgram(command, { folder, timeoutMs: 120_000, variables: ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'] });
  const url = ran.exitCode === 0 ? /https:\/\/\S+/.exec(ran.stdout)?.[0] : undefined;
  const { commandLine } = await import('#core/errors/catalog.ts');
  return {
    isWaiting: false,
    note: url ? `pushed; pull request ${url}` : `pushed to ${remote}; open a pull request: ${commandLine(command)}`,
  };
}
