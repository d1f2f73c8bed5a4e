/** The side that wins where both changed the same value: ours, theirs, or the one that changed last. */
export const conflictPolicies = ['newer', 'ours', 'theirs'] as const;
export type ConflictPolicy = (typeof conflictPolicies)[number];
export type MergeSide = 'ours' | 'theirs';

/** A value that both sides changed. `kept` is the side whose value stays. */
export interface MergeConflict {
  field: string;
  kept: MergeSide;
}

/** Chooses the side for all conflicts of a record. If the times do not decide, the value here stays, because it is visible and theirs is
 *  still in the other tool. */
export function choosePreferred(policy: ConflictPolicy, ours: string | undefined, theirs: string | undefined): MergeSide {
  if (policy !== 'newer') return policy;
  return theirs !== undefined && (ours === undefined || theirs > ours) ? 'theirs' : 'ours';
}

/** Decides about one value with a common base. Only a value that changed on both sides, differently, is a conflict. */
export function chooseSide(
  changes: { isChangedHere: boolean; isChangedThere: boolean; isEqual: boolean },
  preferred: MergeSide,
): { side: MergeSide; isConflict: boolean } {
  const { isChangedHere, isChangedThere, isEqual } = changes;
  if (isEqual || !isChangedThere) return { side: 'ours', isConflict: false };
  if (!isChangedHere) return { side: 'theirs', isConflict: false };
  return { side: preferred, isConflict: true };
}

/** Merges two lists of distinct items with a common base: items of theirs without those removed here, then those added here. */
export function mergeLists<T>(
  base: readonly T[],
  ours: readonly T[],
  theirs: readonly T[],
  getKey: (item: T) => unknown = (item) => item,
): T[] {
  const keys = (list: readonly T[]): Set<unknown> => new Set(list.map(getKey));
  const [baseKeys, ourKeys, theirKeys] = [keys(base), keys(ours), keys(theirs)];
  const isRemovedHere = (key: unknown): boolean => baseKeys.has(key) && !ourKeys.has(key);
  return [
    ...theirs.filter((item) => !isRemovedHere(getKey(item))),
    ...ours.filter((item) => !baseKeys.has(getKey(item)) && !theirKeys.has(getKey(item))),
  ];
}

/** Merges a record with a common base, field by field. Fields named in `lists` are merged item by item and never conflict. */
export function mergeThreeWay<R extends object>(
  base: Partial<R>,
  ours: R,
  theirs: R,
  options: { preferred: MergeSide; fields: readonly (keyof R & string)[]; lists: readonly (keyof R & string)[] },
): { merged: R; conflicts: MergeConflict[] } {
  const merged = { ...ours };
  const conflicts: MergeConflict[] = [];
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  for (const field of options.fields) {
    const isChangedHere = !isSame(base[field], ours[field]);
    const isChangedThere = !isSame(base[field], theirs[field]);
    const isEqual = isSame(ours[field], theirs[field]);
    if (options.lists.includes(field) && isChangedHere && isChangedThere && !isEqual) {
      const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
      const getKey = (item: unknown): unknown => (typeof item === 'object' ? JSON.stringify(item) : item);
      merged[field] = mergeLists(toList(base[field]), toList(ours[field]), toList(theirs[field]), getKey) as R[typeof field];
      continue;
    }
    const { side, isConflict } = chooseSide({ isChangedHere, isChangedThere, isEqual }, options.preferred);
    if (side === 'theirs') merged[field] = theirs[field];
    if (isConflict) conflicts.push({ field, kept: side });
  }
  return { merged, conflicts };
}
