/** `_meta.truncated` of a list that was cut. */
interface Truncation {
  shown: number;
  total: number;
  atLeast?: true;
}

/** Lists are counted up to here. Counting further would cost more than the answer. */
export const maxCounted = 1000;

/** Describes a cut list; undefined if everything is shown. A `total` above `maxCounted` means at least that many. */
export function toTruncation(shown: number, total: number): Truncation | undefined {
  if (shown >= total) return undefined;
  return total > maxCounted ? { shown, total: maxCounted, atLeast: true } : { shown, total };
}
