/** Appends to the list under `key`, which is created on first use. */
export function addToList<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Groups items by a key, in the order of their first items. */
export function groupBy<T, K>(items: readonly T[], toKey: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) addToList(groups, toKey(item), item);
  return groups;
}

/** Keeps the first of equal items. */
export const removeDuplicates = <T>(items: readonly T[]): T[] => (items.length < 2 ? items.slice() : [...new Set(items)]);

/** Counts equal values, in the order of their first occurrence. */
export function countValues(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** Reads an entry of a table, ignoring inherited keys such as `constructor`. */
export const getOwn = <T>(table: Record<string, T>, key: string): T | undefined => (Object.hasOwn(table, key) ? table[key] : undefined);
