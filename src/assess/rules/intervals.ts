import { mean } from '#lib/statistics.ts';

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

export const bootstrapDraws = 10_000;
/** A fixed seed, so that the same differences give the same interval. */
export const bootstrapSeed = 20_260_131;

/** The mean of paired differences with its 95 % bootstrap interval. */
export function bootstrapMean(differences: number[]): Interval & { mean: number } {
  const next = createRandom(bootstrapSeed);
  const count = differences.length;
  const means = new Float64Array(bootstrapDraws);
  for (let draw = 0; draw < bootstrapDraws; draw++) {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += differences[Math.floor(next() * count)]!;
    means[draw] = sum / count;
  }
  means.sort();
  return { mean: mean(differences), low: means[Math.floor(0.025 * bootstrapDraws)]!, high: means[Math.ceil(0.975 * bootstrapDraws) - 1]! };
}

/** A seeded pseudorandom generator of numbers from 0 to 1 (mulberry32). */
export function createRandom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
