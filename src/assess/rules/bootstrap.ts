import type { Interval } from './intervals.ts';

export const draws = 10_000;
/** Fixed, so that the same differences give the same interval. */
export const seed = 20_260_131;

/** The mean of paired differences, and between which means 95 percent of all resamplings lie. */
export function bootstrap(differences: number[]): Interval & { mean: number } {
  const next = mulberry32(seed);
  const count = differences.length;
  const means = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += differences[Math.floor(next() * count)]!;
    means[draw] = sum / count;
  }
  means.sort();
  const mean = differences.reduce((sum, each) => sum + each, 0) / count;
  return { mean, low: means[Math.floor(0.025 * draws)]!, high: means[Math.ceil(0.975 * draws) - 1]! };
}

/** Numbers from 0 to 1 that look like chance and are the same every time (mulberry32). */
export function mulberry32(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
