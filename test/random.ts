/** Creates random numbers from 0 to 1 that depend only on the seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Random choices that depend only on the seed. */
export interface Choices {
  /** A number from 0 to 1, excluding 1. */
  number(): number;
  /** A whole number from 0 to `limit`, excluding it. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
  /** True in this share of the cases. */
  chance(share: number): boolean;
}

export function createChoices(seed: number): Choices {
  const number = createRandom(seed);
  const below = (limit: number): number => Math.floor(number() * limit);
  return { number, below, pick: (values) => values[below(values.length)]!, chance: (share) => number() < share };
}

/** Returns the seed of a random test: `CLEO_SEED`, or the same one in every short run and a new one in every full run. */
export function pickSeed(isFull: boolean): number {
  const given = Number(process.env.CLEO_SEED);
  if (given > 0) return given;
  return isFull ? Math.floor(Math.random() * 2 ** 31) + 1 : 20_261_116;
}
