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

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Copies an object without the keys whose value is undefined. A loop, because a batch calls this for every task, and lists of entries
 *  were a tenth of its allocations. */
export function defined<T extends object>(value: T): Defined<T> {
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const item = value[key];
    if (item !== undefined) copy[key] = item;
  }
  return copy as Defined<T>;
}

/** Copies an object without the keys whose value is undefined or an empty list. */
export function omitEmpty<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(value).filter(([, item]) => item !== undefined && !(Array.isArray(item) && item.length === 0)),
  ) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Checks for an object that is not an array, as in JSON and YAML. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
