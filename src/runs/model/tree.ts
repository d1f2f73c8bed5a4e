/** A tree at one moment. */
export interface Snapshot {
  files: Map<string, { size: number; mtimeMs: number; ctimeMs: number }>;
  /** There are more files than are looked at: git was asked instead. */
  isCoarse: boolean;
  /** And there is no git: nothing is known of it. */
  isBlind?: boolean;
}

export interface TreeChange {
  path: string;
  change: 'created' | 'changed' | 'deleted';
}
