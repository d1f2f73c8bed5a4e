/** A tree at one moment. */
export interface Snapshot {
  files: Map<string, { size: number; mtimeMs: number; ctimeMs: number }>;
  /** There are more files than are looked at: git was asked instead. */
  isCoarse: boolean;
}

export interface TreeChange {
  path: string;
  change: 'created' | 'changed' | 'deleted';
}
