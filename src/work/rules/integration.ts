/** Where the base branch is checked out, and whether that checkout has changes. */
export interface BaseState {
  branch: string;
  /** The folder of the worktree that has it checked out. */
  checkedOutIn?: string | undefined;
  isMainWorktree: boolean;
  isClean: boolean;
}

export type BaseMove = { how: 'fast-forward'; folder: string } | { how: 'update-ref' } | { how: 'wait'; reason: string };

/** Decides how the base branch moves to a merge. A checkout with changes is never touched, nor one other than the main worktree. */
export function decideBaseMove({ branch, checkedOutIn, isMainWorktree, isClean }: BaseState): BaseMove {
  if (checkedOutIn === undefined) return { how: 'update-ref' };
  if (!isMainWorktree) return { how: 'wait', reason: `${branch} is checked out in ${checkedOutIn}` };
  return isClean ? { how: 'fast-forward', folder: checkedOutIn } : { how: 'wait', reason: `${checkedOutIn} has uncommitted changes` };
}
