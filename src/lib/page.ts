/** What `_meta.truncated` says of a list that was cut. */
export interface Cut {
  shown: number;
  total: number;
  atLeast?: true;
}

/** Lists are counted this far; beyond it nobody pages, and counting would cost more than the answer. */
export const countedTo = 1000;

/** `total` may be anything above `countedTo` where there is more. Undefined where everything is shown. */
export function cutOf(shown: number, total: number): Cut | undefined {
  if (shown >= total) return undefined;
  return total > countedTo ? { shown, total: countedTo, atLeast: true } : { shown, total };
}
