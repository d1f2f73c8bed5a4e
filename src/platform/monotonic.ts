/** Reads a clock that is never adjusted. Loading `performance` would slow down the start. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
