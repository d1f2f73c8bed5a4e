import { sha256 } from '#lib/sha256.ts';

const firstMs = 1000;
const mostMs = 30_000;

/** How long to wait before the next attempt after the nth: twice as long each time, and by an amount that is scattered and yet the
 *  same for the same execution, so that a run can be told again. What the skill asks for is the least. */
export function retryDelayMs(executionId: string, attempt: number, retryAfterMs = 0): number {
  const scatter = Number.parseInt(sha256(`${executionId}:${attempt}`).slice(0, 8), 16) / 2 ** 32;
  const delay = Math.min(mostMs, firstMs * 2 ** (attempt - 1)) * (0.5 + 0.5 * scatter);
  return Math.max(Math.round(delay), retryAfterMs);
}
