import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { statIfExists } from './files.ts';
import type { GitCommands } from './git.ts';
import type { GitWorktrees, WorktreeHead } from './git-port.ts';
import type { Git } from './port.ts';
import { emptyWorktree, exchangeFiles, moveToPool, removeFolder, takeFromPool } from './spare-files.ts';
import { findGitFolder, findTop } from './tree.ts';

/** A checkout of a large repository takes long. */
const checkoutTimeoutMs = 600_000;
const networkTimeoutMs = 120_000;
const outsideCleo = ['--', '.', ':(exclude,glob)**/.cleo/**'];

interface WorktreeCommands extends GitCommands, Pick<Git, 'listChanges'> {
  checkRef(name: string): void;
  listFilterSettings(tree: string): Promise<string[]>;
}

/** Linked worktrees, merges and branches. */
export function createGitWorktrees({ git, query, require, checkRef, listChanges, listFilterSettings }: WorktreeCommands): GitWorktrees {
  const options = { timeoutMs: checkoutTimeoutMs };
  // Writing thousands of files is most of the time that a worktree takes; 0 means one process per core.
  const checkout = { ...options, settings: ['-c', 'checkout.workers=0', '-c', 'checkout.thresholdForParallelism=500'] };
  const listOutsideCleo = async (tree: string) => (await listChanges(tree)).filter(({ path }) => !path.split('/').includes('.cleo'));
  /** Gives a worktree that has no files yet those of a spare. The index is made anew and every file compared by its content, because an
   *  agent can set flags in an index that hide its changes. Files with a filter are written again: two contents can be one after a filter.
   *  Ignored files are removed as well. */
  const fillFromSpare = async (folder: string, spare: string, pool: string): Promise<void> => {
    try {
      exchangeFiles(folder, spare);
      await require(folder, ['read-tree', 'HEAD'], options);
      // Exits with 1 if files differ.
      await git(folder, ['update-index', '-q', '--refresh'], { ...options, settings: await listFilterSettings(folder) });
      await require(folder, ['reset', '--hard', '--quiet'], checkout);
      await require(folder, ['clean', '-ffdx', '--quiet'], options);
    } catch {
      emptyWorktree(folder, pool);
      await require(folder, ['reset', '--hard', '--quiet'], checkout);
    }
  };
  return {
    async addWorktree(tree, folder, head, pool) {
      const spare = pool && takeFromPool(pool);
      const add = ['worktree', 'add', '--quiet', '--force', ...(spare ? ['--no-checkout'] : []), ...formatHead(head, folder)];
      await require(tree, add, checkout);
      if (spare) await fillFromSpare(folder, spare, pool);
    },
    async removeWorktree(tree, folder, pool) {
      if (pool !== undefined) moveToPool(folder, pool);
      // Twice: also a worktree that was locked. A folder that is gone needs only to be forgotten.
      const { exitCode } = await git(tree, ['worktree', 'remove', '--force', '--force', folder], options);
      if (exitCode !== 0) await git(tree, ['worktree', 'prune']);
    },
    isBusy(folder) {
      const own = existsSync(join(folder, '.git')) ? findGitFolder(folder) : undefined;
      // `git worktree add` locks the worktree until it has all files.
      return own !== undefined && ['locked', 'index.lock'].some((name) => existsSync(join(own, name)));
    },
    removePool: removeFolder,
    async listWorktrees(tree) {
      const blocks = (await require(tree, ['worktree', 'list', '--porcelain', '-z'])).split('\0\0');
      return blocks.flatMap((block) => {
        const fields = new Map(block.split('\0').map((line) => [line.split(' ', 1)[0]!, line.slice(line.indexOf(' ') + 1)]));
        const folder = fields.get('worktree');
        const branch = fields.get('branch')?.replace(/^refs\/heads\//, '');
        return folder === undefined ? [] : [{ folder, ...(branch === undefined ? {} : { branch }) }];
      });
    },
    async findGitFolders(tree) {
      const lines = await require(tree, ['rev-parse', '--path-format=absolute', '--git-common-dir', '--git-dir']);
      return [...new Set(lines.trim().split('\n'))];
    },
    async listWork(tree, since) {
      const count = Number((await query(tree, ['rev-list', '--count', '--end-of-options', `${since}..HEAD`])) ?? 0);
      const { exitCode } = await git(tree, [
        'diff',
        '--no-ext-diff',
        '--no-textconv',
        '--quiet',
        '--end-of-options',
        since,
        'HEAD',
        ...outsideCleo,
      ]);
      return { commits: count, isChanged: exitCode === 1 };
    },
    listUncommitted: async (tree) => (await listOutsideCleo(tree)).map(({ path }) => path),
    async markChanges(tree) {
      // Git names files from the top of the checkout.
      const top = findTop(tree) ?? tree;
      const mark = (path: string): string => {
        const info = statIfExists(join(top, path));
        return `${info?.mtimeMs} ${info?.size}`;
      };
      return new Map((await listOutsideCleo(tree)).map(({ state, path }) => [path, `${state} ${mark(path)}`]));
    },
    async merge(tree, commit, message) {
      const { exitCode, stdout, stderr } = await git(
        tree,
        ['merge', '--no-ff', '--no-verify', '--no-edit', '--quiet', '-m', message, commit],
        options,
      );
      if (exitCode === 0) return { commit: (await require(tree, ['rev-parse', '--verify', 'HEAD'])).trim() };
      const listed = await query(tree, ['diff', '--no-ext-diff', '--name-only', '--diff-filter=U', '-z']);
      const conflicts = (listed ?? '').split('\0').filter(Boolean);
      await git(tree, ['merge', '--abort']);
      return { conflicts, problem: (stderr.trim() || stdout.trim()).split('\n').slice(-3).join(' ') };
    },
    async fastForward(tree, commit) {
      const { exitCode, stderr } = await git(tree, ['merge', '--ff-only', '--quiet', commit], options);
      return exitCode === 0 ? undefined : stderr.trim().split('\n').slice(-3).join(' ');
    },
    async moveBranch(tree, branch, commit, from) {
      const { exitCode, stderr } = await git(tree, ['update-ref', '-m', 'cleo work', `refs/heads/${branch}`, commit, from]);
      return exitCode === 0 ? undefined : stderr.trim();
    },
    async resetTo(tree, commit) {
      await require(tree, ['checkout', '--quiet', '--force', '--detach', commit], options);
      await require(tree, ['clean', '--quiet', '--force', '-d']);
    },
    async fetchBranch(tree, remote, patterns) {
      checkRef(remote);
      const network = { timeoutMs: networkTimeoutMs };
      const listed = await require(tree, [
        'ls-remote',
        '--end-of-options',
        remote,
        ...patterns.map((each) => `refs/heads/${each}`),
      ], network);
      const [, commit, branch] = /^([0-9a-f]{40,64})\trefs\/heads\/(\S+)$/m.exec(listed) ?? [];
      if (commit === undefined || branch === undefined) return undefined;
      checkRef(branch);
      const refs = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`;
      await require(tree, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--end-of-options', remote, refs], network);
      return { branch, commit };
    },
    async deleteBranch(tree, branch) {
      await git(tree, ['branch', '--quiet', '-D', '--', branch]);
    },
  };
}

function formatHead(head: WorktreeHead, folder: string): string[] {
  if ('commit' in head) return ['--detach', folder, head.commit];
  return head.start === undefined ? [folder, head.branch] : ['--no-track', '-b', head.branch, folder, head.start];
}
