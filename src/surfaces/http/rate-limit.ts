/** A token bucket for each key: `perMinute` calls at once, or `limit` of the key if that is less, refilled over a minute. 0 means no limit. */
interface RateLimiter {
  /** Takes `count` calls at once; returns the seconds to wait, or 0 if they are allowed. More than the limit are never allowed. */
  take(key: string, nowMs: number, count?: number, limit?: number): number;
}

export function createRateLimiter(perMinute: number): RateLimiter {
  const buckets = new Map<string, { calls: number; atMs: number }>();
  const countLeft = (key: string, nowMs: number, limit: number): number => {
    const bucket = buckets.get(key);
    return bucket ? Math.min(limit, bucket.calls + ((nowMs - bucket.atMs) * limit) / 60_000) : limit;
  };
  return {
    take(key, nowMs, count = 1, limit = perMinute) {
      const most = perMinute === 0 ? limit : Math.min(perMinute, limit);
      if (most === 0) return 0;
      const calls = countLeft(key, nowMs, most);
      const seconds = calls >= count ? 0 : Math.ceil(((count - calls) * 60) / most);
      // The oldest key is dropped first. Its bucket is probably full again.
      buckets.delete(key);
      if (buckets.size >= maxKeys) buckets.delete(buckets.keys().next().value!);
      buckets.set(key, { calls: seconds > 0 ? calls : calls - count, atMs: nowMs });
      return seconds;
    },
  };
}

const maxKeys = 10_000;
