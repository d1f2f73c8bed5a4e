import type { Snapshot, TreeChange } from '../model/tree.ts';

/** What is not as it was, in the order of the names. Of two looks of different kinds nothing can be said. */
export function changesBetween(before: Snapshot, after: Snapshot): TreeChange[] {
  if (before.isCoarse !== after.isCoarse) return [];
  const changes: TreeChange[] = [];
  for (const [path, now] of after.files) {
    const then = before.files.get(path);
    if (!then) changes.push({ path, change: after.isCoarse ? 'changed' : 'created' });
    else if (then.size !== now.size || then.mtimeMs !== now.mtimeMs || then.ctimeMs !== now.ctimeMs)
      changes.push({ path, change: 'changed' });
  }
  if (!after.isCoarse) for (const path of before.files.keys()) if (!after.files.has(path)) changes.push({ path, change: 'deleted' });
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}
