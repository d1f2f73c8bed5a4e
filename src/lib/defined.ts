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
