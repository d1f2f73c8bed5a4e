export interface Interval {
  low: number;
  high: number;
}

/** The z-value of a two-sided 95 % interval. */
const z = 1.959963984540054;

/** The Wilson score interval of a share. It stays between 0 and 1 and is valid for few or no cases. */
export function computeWilsonInterval(passed: number, all: number): Interval {
  if (all === 0) return { low: 0, high: 1 };
  const share = passed / all;
  const weight = 1 + (z * z) / all;
  const middle = share + (z * z) / (2 * all);
  const spread = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return { low: Math.max(0, (middle - spread) / weight), high: Math.min(1, (middle + spread) / weight) };
}

/** The Newcombe interval of `after` minus `before`, computed from their Wilson intervals. */
export function computeNewcombeInterval(before: { passed: number; all: number }, after: { passed: number; all: number }): Interval {
  const [one, other] = [before.passed / before.all, after.passed / after.all];
  const [low, high] = [computeWilsonInterval(before.passed, before.all), computeWilsonInterval(after.passed, after.all)];
  const difference = other - one;
  return {
    low: difference - Math.hypot(other - high.low, low.high - one),
    high: difference + Math.hypot(high.high - other, one - low.low),
  };
}
