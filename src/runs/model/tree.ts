/** The files of a tree at one point in time. */
export interface TreeSnapshot {
  files: Map<string, { size: number; mtimeMs: number; ctimeMs: number }>;
  /** True if the tree has too many files to scan; `files` then holds the changes that git reports. */
  isCoarse: boolean;
  /** True if the repository has no git either, so that changes are unknown. */
  isUnknown?: boolean;
}

export interface TreeChange {
  path: string;
  change: 'created' | 'changed' | 'deleted';
}
