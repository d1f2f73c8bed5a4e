import { expect, test } from 'vitest';
import { getRequiredScope, isAllowed } from './token-scope.ts';

const read = { kind: 'query' };
const write = { kind: 'mutation' };
const job = { kind: 'job' };
const adminJob = { kind: 'job', scope: 'admin' as const };
const adminQuery = { kind: 'query', scope: 'admin' as const };

test.each([
  ['query', read, true],
  ['query', write, false],
  ['query', job, false],
  ['query', adminQuery, false],
  ['query', adminJob, false],
  ['mutate', read, true],
  ['mutate', write, true],
  ['mutate', job, true],
  ['mutate', adminQuery, false],
  ['mutate', adminJob, false],
  ['admin', read, true],
  ['admin', write, true],
  ['admin', adminQuery, true],
  ['admin', adminJob, true],
] as const)('%s may call %o: %s', (scope, operation, expected) => {
  expect(isAllowed(scope, operation)).toBe(expected);
});

test.each([
  [read, 'query'],
  [write, 'mutate'],
  [job, 'mutate'],
  [adminJob, 'admin'],
])('%o needs %s', (operation, scope) => {
  expect(getRequiredScope(operation)).toBe(scope);
});
