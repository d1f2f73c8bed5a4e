export interface Interval {
  low: number;
  high: number;
}

/** 95 percent, both sides. */
const z = 1.959963984540054;

/** Wilson's interval of a share: it stays inside 0 and 1, and is sound for few cases and for none. */
export function wilson(passed: number, all: number): Interval {
  if (all === 0) return { low: 0, high: 1 };
  const share = passed / all;
  const weight = 1 + (z * z) / all;
  const middle = share + (z * z) / (2 * all);
  const spread = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return { low: Math.max(0, (middle - spread) / weight), high: Math.min(1, (middle + spread) / weight) };
}

/** Newcombe's interval of the difference of two shares, `after` less `before`, made of the two Wilson intervals. */
export function newcombe(before: { passed: number; all: number }, after: { passed: number; all: number }): Interval {
  const [one, other] = [before.passed / before.all, after.passed / after.all];
  const [low, high] = [wilson(before.passed, before.all), wilson(after.passed, after.all)];
  const difference = other - one;
  return {
    low: difference - Math.hypot(other - high.low, low.high - one),
    high: difference + Math.hypot(high.high - other, one - low.low),
  };
}
