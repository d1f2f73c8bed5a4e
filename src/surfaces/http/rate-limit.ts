/** A token bucket for each key: `perMinute` calls at once, refilled over a minute. 0 means no limit. */
export interface RateLimiter {
  /** Takes `count` calls at once; returns the seconds to wait, or 0 if they are allowed. More than `perMinute` are never allowed. */
  take(key: string, nowMs: number, count?: number): number;
}

export function createRateLimiter(perMinute: number): RateLimiter {
  const buckets = new Map<string, { calls: number; atMs: number }>();
  const countLeft = (key: string, nowMs: number): number => {
    const bucket = buckets.get(key);
    return bucket ? Math.min(perMinute, bucket.calls + ((nowMs - bucket.atMs) * perMinute) / 60_000) : perMinute;
  };
  const getWaitSeconds = (calls: number, count: number): number => (calls >= count ? 0 : Math.ceil(((count - calls) * 60) / perMinute));
  return {
    take(key, nowMs, count = 1) {
      if (perMinute === 0) return 0;
      const calls = countLeft(key, nowMs);
      const seconds = getWaitSeconds(calls, count);
      // The oldest key is dropped first. Its bucket is probably full again.
      buckets.delete(key);
      if (buckets.size >= maxKeys) buckets.delete(buckets.keys().next().value!);
      buckets.set(key, { calls: seconds > 0 ? calls : calls - count, atMs: nowMs });
      return seconds;
    },
  };
}

const maxKeys = 10_000;
