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

export interface HistogramValues {
  bounds: readonly number[];
  /** The number of values up to each bound. */
  within: number[];
  count: number;
  sum: number;
}

export interface Histogram {
  observe(value: number): void;
  values: HistogramValues;
}

/** Bounds of durations, in seconds. */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export function createHistogram(bounds: readonly number[] = durationBounds): Histogram {
  const values: HistogramValues = { bounds, within: bounds.map(() => 0), count: 0, sum: 0 };
  return {
    values,
    observe(value) {
      bounds.forEach((bound, i) => {
        if (value <= bound) values.within[i]!++;
      });
      values.count++;
      values.sum += value;
    },
  };
}
