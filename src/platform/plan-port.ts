/** The hooks and the merge driver of a repository, and the staged files of a commit. */
export interface GitHooks {
  /** The folder of the hooks, the repository folder that all worktrees share, and `core.hooksPath` if it is set. Undefined outside a
   *  repository. */
  findHooks(tree: string): Promise<{ folder: string; common: string; hooksPath?: string } | undefined>;
  readSetting(tree: string, key: string): Promise<string | undefined>;
  /** Sets a key of the repository, or removes it if the value is undefined. */
  writeSetting(tree: string, key: string, value: string | undefined): Promise<void>;
  /** True in the hook of `git commit <file>`. Files that a hook adds there would seem to be reverted in the index after the commit. */
  isPartialCommit(): boolean;
  /** Checks for files below the paths that differ from the last commit, in the index or in the tree. */
  hasChanges(tree: string, paths: string[]): Promise<boolean>;
  /** Stages all changes below the paths, deleted files included. */
  stage(tree: string, paths: string[]): Promise<void>;
  /** Returns the files below the paths that the next commit adds or changes, relative to the top of the tree. */
  listStaged(tree: string, paths: string[]): Promise<string[]>;
}

/** Files of `.cleo/plan`. Names are relative to that folder, with slashes: `tasks/<uid>.json`. */
export interface PlanFiles {
  /** Size and time of every file. Links are not followed and are listed as `link`, so that a clone cannot make us read or write
   *  outside `.cleo`. */
  list(folder: string): Map<string, string>;
  /** Undefined for a file that is missing, a link, or larger than `maxBytes`. */
  read(folder: string, name: string, maxBytes: number): Uint8Array | undefined;
  /** Replaces a file and returns its size and time. The files are not synced: the store has what they say. */
  write(folder: string, name: string, text: string | Uint8Array): string;
  remove(folder: string, name: string): void;
}
