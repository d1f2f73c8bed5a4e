import { expect, test } from 'vitest';
import type { Claim } from '#core/model/audit.ts';
import type { HolderState } from '../model/task.ts';
import {
  type ClaimLimits,
  canTakeOver,
  findNextLapseMs,
  formatHolder,
  getRenewalMs,
  isExpired,
  isHolder,
  isLapsed,
  judgeHolder,
  toAbsence,
  toFocusTime,
  toTaskClaim,
} from './claims.ts';

const claim: Claim = {
  taskId: 'T001',
  agent: 'ada',
  claimedAt: '2026-01-01T00:00:00.000Z',
  focusedAt: '2026-01-01T00:00:00.000Z',
  renewedAt: '2026-01-01T10:00:00.000Z',
};

test.each([
  ['2026-01-01T10:30:00.000Z', false],
  ['2026-01-01T11:00:00.000Z', false],
  ['2026-01-01T11:00:00.001Z', true],
  ['1970-01-01T00:00:00.000Z', false],
])('a lease of an hour from 10:00 is expired at %s: %s', (now, expected) => {
  expect(isExpired(claim, now, 60)).toBe(expected);
});

const limits: ClaimLimits = {
  now: '2026-01-01T10:00:00.000Z',
  ttlMinutes: 240,
  awayMinutes: 5,
  silentMinutes: 30,
  isProcessRunning: (process) => ({ running: true, gone: false })[process],
};

test.each<[string, Partial<Claim>, string, HolderState, boolean]>([
  ['a holder that has just written', {}, '10:00', 'present', false],
  ['a holder that last wrote half an hour ago', {}, '10:30', 'present', false],
  ['a holder that last wrote longer ago', {}, '10:31', 'silent', false],
  ['a holder that last wrote four hours ago', {}, '14:00', 'silent', false],
  ['a holder whose lease is over', {}, '14:01', 'expired', true],
  ['a running process', { process: 'running' }, '10:31', 'silent', false],
  ['a running process whose lease is over', { process: 'running' }, '14:01', 'expired', true],
  ['a process on another machine', { process: 'elsewhere' }, '10:06', 'present', false],
  ['a process on another machine, long silent', { process: 'elsewhere' }, '14:01', 'expired', true],
  ['a process that is gone', { process: 'gone' }, '10:00', 'away', false],
  ['a process that is gone, seen five minutes ago', { process: 'gone' }, '10:05', 'away', false],
  ['a process that is gone, seen longer ago', { process: 'gone' }, '10:06', 'away', true],
  ['a process that is gone since yesterday', { process: 'gone' }, '23:00', 'away', true],
  ['a closed connection', { process: 'running', awayAt: '2026-01-01T10:20:00.000Z' }, '10:21', 'away', false],
  ['a connection that closed six minutes ago', { process: 'running', awayAt: '2026-01-01T10:20:00.000Z' }, '10:26', 'away', true],
  ['a closed connection of another machine', { process: 'elsewhere', awayAt: '2026-01-01T10:00:00.000Z' }, '10:06', 'away', true],
  ['an agent named outright whose connection closed', { awayAt: '2026-01-01T10:00:00.000Z' }, '10:06', 'present', false],
])('%s', (_, more, time, state, lapsed) => {
  const at = { ...limits, now: `2026-01-01T${time}:00.000Z` };
  expect([judgeHolder({ ...claim, ...more }, at), isLapsed({ ...claim, ...more }, at)]).toEqual([state, lapsed]);
});

test('a caller whose clock is behind takes over nothing by time', () => {
  const behind = { ...limits, now: '1970-01-01T00:00:00.000Z', awayMinutes: 0, silentMinutes: 0, ttlMinutes: 0 };
  expect([judgeHolder(claim, behind), isLapsed(claim, behind), isLapsed({ ...claim, process: 'gone' }, behind)]).toEqual([
    'present',
    false,
    false,
  ]);
});

test.each<[Partial<Claim>[], string, number | undefined]>([
  [[], '10:00:00', undefined],
  [[{}], '10:00:00', 4 * 3_600_000 + 1],
  [[{}, { process: 'here' }], '10:01:00', 4 * 60_000 + 1],
  [[{ process: 'here' }], '11:00:00', 30_000],
])('of claims with %j at %s one can lapse in %s ms', (more, time, expected) => {
  const claims = more.map((each) => ({ ...claim, ...each }));
  expect(findNextLapseMs(claims, { ...limits, now: `2026-01-01T${time}.000Z` })).toBe(expected);
});

test('looks up a process only if the claim can have lapsed', () => {
  const isProcessRunning = (): boolean => {
    throw new Error('looked up');
  };
  expect(isLapsed({ ...claim, process: 'gone' }, { ...limits, now: '2026-01-01T10:04:00.000Z', isProcessRunning })).toBe(false);
  expect(isLapsed({ ...claim, process: 'gone' }, { ...limits, now: '2026-01-01T15:00:00.000Z', isProcessRunning })).toBe(true);
});

test.each<[Partial<Claim>, string, number]>([
  [{}, '10:00:00', 75_001],
  [{}, '10:01:14', 1001],
  [{}, '10:01:16', 0],
  [{ awayAt: '2026-01-01T10:00:00.000Z' }, '10:00:00', 0],
])('a claim of 10:00 with %j at %s is due for renewal in %s ms', (more, time, expected) => {
  expect(getRenewalMs({ ...claim, ...more }, { ...limits, now: `2026-01-01T${time}.000Z` })).toBe(expected);
});

test.each<[HolderState, boolean]>([
  ['present', false],
  ['away', true],
  ['silent', true],
  ['expired', true],
])('a task of a holder that is %s may be taken over by an agent: %s', (state, expected) => {
  expect(canTakeOver(state)).toBe(expected);
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
  expect(toTaskClaim({ ...claim, session: 's' }, 90, 'present')).toEqual({
    agent: 'ada',
    session: 's',
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-01T11:30:00.000Z',
  });
});

test('shows the state of a holder that is not present, and when it was last seen', () => {
  expect(toTaskClaim(claim, 90, 'away')).toMatchObject({ state: 'away', lastSeen: claim.renewedAt });
  expect([toAbsence('silent'), toAbsence('present')]).toEqual([{ state: 'silent' }, {}]);
});

test.each([
  ['2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'],
  ['2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'],
])('a new focus at %s comes after the current one, by the time %s', (now, expected) => {
  expect(toFocusTime(now, claim)).toBe(expected);
  expect(toFocusTime(now, undefined)).toBe(now);
});
