/** A declared file at the first claim of its task; without `sha256` if it was missing or too large to hash. */
export interface BaselineFile {
  path: string;
  size?: number;
  changedAt?: string;
  sha256?: string;
}

/** The state of the checkout when a task was first claimed. What differs from it is the work on the task. */
export interface TaskBaseline {
  /** The commit that was checked out. Undefined outside a repository and before its first commit. */
  head?: string;
  /** The declared files of the task. Stored only outside a repository. */
  files?: BaselineFile[];
  at: string;
}
