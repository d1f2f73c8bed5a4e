import { expect, test } from 'vitest';
import { formatHolder, isExpired, isHolder, toTaskClaim } from './claims.ts';

const claim = { taskId: 'T001', agent: 'ada', claimedAt: '2026-01-01T00:00:00.000Z', renewedAt: '2026-01-01T10:00:00.000Z' };

test.each([
  ['2026-01-01T10:30:00.000Z', false],
  ['2026-01-01T11:00:00.000Z', false],
  ['2026-01-01T11:00:00.001Z', true],
  ['1970-01-01T00:00:00.000Z', false],
])('a lease of an hour from 10:00 is expired at %s: %s', (now, expected) => {
  expect(isExpired(claim, now, 60)).toBe(expected);
});

test.each([
  [undefined, { agent: 'ada' }, true],
  [undefined, { agent: 'bob' }, false],
  [undefined, { agent: 'ada', session: 's' }, true],
  ['s', { agent: 'ada', session: 's' }, true],
  ['s', { agent: 'ada', session: 'r' }, false],
  ['s', { agent: 'ada' }, false],
  ['s', { agent: 'bob', session: 's' }, false],
])('the claim of ada in session %s belongs to %j: %s', (session, caller, expected) => {
  expect(isHolder({ ...claim, ...(session ? { session } : {}) }, caller)).toBe(expected);
});

test('formats a holder with the session', () => {
  expect([formatHolder(claim), formatHolder({ ...claim, session: 's' })]).toEqual(['ada', 'ada (s)']);
});

test('shows the holder and the expiry of a claim', () => {
  expect(toTaskClaim({ ...claim, session: 's' }, 90)).toEqual({
    agent: 'ada',
    session: 's',
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-01T11:30:00.000Z',
  });
});
