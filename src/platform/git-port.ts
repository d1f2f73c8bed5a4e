/** What a new worktree checks out: a commit, an existing branch, or a new branch that starts at a commit or branch. */
export type WorktreeHead = { commit: string } | { branch: string; start?: string };

/** Linked worktrees, merges and branches. */
export interface GitWorktrees {
  /** Adds a linked worktree. With the files of a spare in `pool`, only those that differ are written; the worktree is the same. */
  addWorktree(tree: string, folder: string, head: WorktreeHead, pool?: string): Promise<void>;
  /** Removes a linked worktree with everything in it. With `pool`, its files are moved there if they can be used again. */
  removeWorktree(tree: string, folder: string, pool?: string): Promise<void>;
  /** True while git writes the files of a linked worktree. */
  isBusy(folder: string): boolean;
  /** Removes all spares. */
  removePool(pool: string): void;
  /** Lists the main worktree and the linked ones. */
  listWorktrees(tree: string): Promise<{ folder: string; branch?: string }[]>;
  /** The folders that git writes to for a worktree: that of the repository, and its own if it is a linked one. */
  findGitFolders(tree: string): Promise<string[]>;
  /** Counts the commits since `since`, and compares the files outside `.cleo`. */
  listWork(tree: string, since: string): Promise<{ commits: number; isChanged: boolean }>;
  /** Lists changed and untracked files outside `.cleo`. */
  listUncommitted(tree: string): Promise<string[]>;
  /** The changed and untracked files outside `.cleo`, each with a mark that differs when the file changes again. */
  markChanges(tree: string): Promise<Map<string, string>>;
  /** Merges into what is checked out, always with a commit of its own. A merge that is not clean is undone. */
  merge(tree: string, commit: string, message: string): Promise<{ commit: string } | { conflicts: string[]; problem: string }>;
  /** Fast-forwards the checked-out branch; returns the reason if git refuses. */
  fastForward(tree: string, commit: string): Promise<string | undefined>;
  /** Moves a branch that is not checked out, if it is still at `from`; returns the reason if git refuses. */
  moveBranch(tree: string, branch: string, commit: string, from: string): Promise<string | undefined>;
  /** Checks a commit out, detached, and drops all changes and untracked files. */
  resetTo(tree: string, commit: string): Promise<void>;
  /** Fetches the first branch of a remote that one of the patterns matches; returns its name and commit. No local branch changes. */
  fetchBranch(tree: string, remote: string, patterns: string[]): Promise<{ branch: string; commit: string } | undefined>;
  /** Deletes a branch, if it exists. */
  deleteBranch(tree: string, branch: string): Promise<void>;
}
