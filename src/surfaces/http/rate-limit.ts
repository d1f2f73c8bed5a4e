/** Lets each key through `perMinute` times a minute, all at once if it likes; then as often as time gives back. 0 is no limit. */
export interface RateLimiter {
  /** Seconds to wait, or 0 if it may pass. */
  take(key: string, nowMs: number): number;
}

export function createRateLimiter(perMinute: number): RateLimiter {
  const left = new Map<string, { calls: number; atMs: number }>();
  const now = (key: string, nowMs: number): number => {
    const found = left.get(key);
    return found ? Math.min(perMinute, found.calls + ((nowMs - found.atMs) * perMinute) / 60_000) : perMinute;
  };
  const wait = (calls: number): number => (perMinute === 0 || calls >= 1 ? 0 : Math.ceil(((1 - calls) * 60) / perMinute));
  return {
    take(key, nowMs) {
      if (perMinute === 0) return 0;
      const calls = now(key, nowMs);
      const seconds = wait(calls);
      // Whoever came first is forgotten first; by then its time has long been given back, or it is one of very many.
      left.delete(key);
      if (left.size >= maxKeys) left.delete(left.keys().next().value!);
      left.set(key, { calls: seconds > 0 ? calls : calls - 1, atMs: nowMs });
      return seconds;
    },
  };
}

const maxKeys = 10_000;
