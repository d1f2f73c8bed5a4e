import type { GithubResponse } from '../../model/github-connection.ts';

/** Time to wait if neither header says one, as GitHub documents. */
const defaultWaitMs = 60_000;

/** Computes how long to wait before the request is repeated; undefined if no limit was hit. A token without rights gets the same status
 *  as a limit, but none of the headers. */
export function computeWaitMs(
  { status, headers, body }: Pick<GithubResponse, 'status' | 'headers' | 'body'>,
  nowMs: number,
): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
  if (Number.isFinite(retryAfter)) return Math.max(0, retryAfter) * 1000;
  if (headers['x-ratelimit-remaining'] === '0') {
    const resetMs = Number(headers['x-ratelimit-reset']) * 1000;
    return Number.isFinite(resetMs) ? Math.max(1000, resetMs - nowMs) : defaultWaitMs;
  }
  return status === 429 || /secondary rate limit|abuse detection/i.test(body) ? defaultWaitMs : undefined;
}

/** Returns the path of the next page. A link to another host is ignored, because the token would be sent there. */
export function parseNextLink(link: string | undefined, address: string): string | undefined {
  const next = /<([^<>]{1,2000})>;\s*rel="next"/.exec(link ?? '')?.[1];
  return next?.startsWith(`${address}/`) ? next.slice(address.length) : undefined;
}
