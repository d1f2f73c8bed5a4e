import { expect, test } from 'vitest';
import { computeWaitMs, parseNextLink } from './responses.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['a success', 200, { 'x-ratelimit-remaining': '0' }, '', undefined],
  ['a token without rights', 403, { 'x-ratelimit-remaining': '4000' }, 'Resource not accessible', undefined],
  ['retry-after', 403, { 'retry-after': '7' }, '', 7000],
  ['retry-after before the reset', 429, { 'retry-after': '2', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, '', 2000],
  ['the primary limit', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 90) }, '', 90_000],
  ['a reset that has passed', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, '', 1000],
  ['a limit without a time', 429, {}, '', 60_000],
  ['a secondary limit', 403, {}, 'You have exceeded a secondary rate limit', 60_000],
])('waits after %s', (_, status, headers, body, expected) => {
  expect(computeWaitMs({ status, headers, body }, now)).toBe(expected);
});

test.each([
  [undefined, undefined],
  ['<https://api.test/repositories/1/issues?page=2>; rel="next", <https://api.test/x>; rel="last"', '/repositories/1/issues?page=2'],
  ['<https://api.test/x?page=1>; rel="prev"', undefined],
  ['<https://evil.test/x?page=2>; rel="next"', undefined],
  ['<https://api.test.evil.test/x>; rel="next"', undefined],
])('follows only links to the same host: %s', (link, expected) => {
  expect(parseNextLink(link, 'https://api.test')).toBe(expected);
});
