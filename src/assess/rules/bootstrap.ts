import { mean } from '#lib/statistics.ts';
import type { Interval } from './intervals.ts';

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
