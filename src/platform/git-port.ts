/** Linked worktrees, merges and branches. */
export interface GitWorktrees {
  /** Adds a linked worktree on a new branch, or detached at the commit. */
  addWorktree(tree: string, folder: string, start: string, branch?: string): Promise<void>;
  /** Adds a linked worktree on an existing branch. */
  attachWorktree(tree: string, folder: string, branch: string): Promise<void>;
  /** Removes a linked worktree with everything in it. */
  removeWorktree(tree: string, folder: string): Promise<void>;
  /** Lists the main worktree and the linked ones. */
  listWorktrees(tree: string): Promise<{ folder: string; branch?: string }[]>;
  /** The folders that git writes to for a worktree: that of the repository, and its own if it is a linked one. */
  findGitFolders(tree: string): Promise<string[]>;
  /** Counts the commits since `since`, and compares the files outside `.cleo`. */
  listWork(tree: string, since: string): Promise<{ commits: number; isChanged: boolean }>;
  /** Lists changed and untracked files outside `.cleo`. */
  listUncommitted(tree: string): Promise<string[]>;
  /** Merges into what is checked out, always with a commit of its own. A merge that is not clean is undone. */
  merge(tree: string, commit: string, message: string): Promise<{ commit: string } | { conflicts: string[]; problem: string }>;
  /** Fast-forwards the checked-out branch; returns the reason if git refuses. */
  fastForward(tree: string, commit: string): Promise<string | undefined>;
  /** Moves a branch that is not checked out, if it is still at `from`; returns the reason if git refuses. */
  moveBranch(tree: string, branch: string, commit: string, from: string): Promise<string | undefined>;
  /** Checks a commit out, detached, and drops all changes and untracked files. */
  resetTo(tree: string, commit: string): Promise<void>;
  /** Deletes a branch, if it exists. */
  deleteBranch(tree: string, branch: string): Promise<void>;
}
