/** Milliseconds by a clock that nobody sets; `performance` would load a good part of Node. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
