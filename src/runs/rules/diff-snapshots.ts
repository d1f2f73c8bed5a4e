import type { TreeChange, TreeSnapshot } from '../model/tree.ts';

/** The changes between two snapshots, sorted by path. A full scan and a git status cannot be compared. */
export function diffSnapshots(before: TreeSnapshot, after: TreeSnapshot): TreeChange[] {
  if (before.isCoarse !== after.isCoarse) return [];
  const changes: TreeChange[] = [];
  for (const [path, current] of after.files) {
    const previous = before.files.get(path);
    if (!previous) changes.push({ path, change: after.isCoarse ? 'changed' : 'created' });
    else if (previous.size !== current.size || previous.mtimeMs !== current.mtimeMs || previous.ctimeMs !== current.ctimeMs)
      changes.push({ path, change: 'changed' });
  }
  if (!after.isCoarse) for (const path of before.files.keys()) if (!after.files.has(path)) changes.push({ path, change: 'deleted' });
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}
