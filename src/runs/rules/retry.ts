import { sha256 } from '#lib/digest.ts';

const baseDelayMs = 1000;
const maxDelayMs = 30_000;

/** The delay after an attempt: exponential backoff with jitter that is derived from the execution id, so that a run is reproducible. The
 *  delay that the skill asks for is the minimum. */
export function computeRetryDelayMs(executionId: string, attempt: number, retryAfterMs = 0): number {
  const jitter = Number.parseInt(sha256(`${executionId}:${attempt}`).slice(0, 8), 16) / 2 ** 32;
  const delay = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1)) * (0.5 + 0.5 * jitter);
  return Math.max(Math.round(delay), retryAfterMs);
}
