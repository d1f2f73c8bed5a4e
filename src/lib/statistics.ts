/** Averages numbers. The mean of an empty list is 0. */
export function mean(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the middle value or the mean of the two middle values. An empty list has no median. */
export function median(values: number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.length === 0 ? undefined : mean(middle);
}

/** Converts a share of 1 to whole percent. It rounds down, so that 100 means complete; the small addend undoes binary fractions
 *  such as 0.29 * 100 = 28.999…. */
export function toPercent(share: number): number {
  return Math.floor(share * 100 + 1e-9);
}

export function formatPercent(share: number): string {
  return `${toPercent(share)} %`;
}
