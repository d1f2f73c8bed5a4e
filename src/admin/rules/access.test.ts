import { expect, test } from 'vitest';
import { allows, scopeFor } from './access.ts';

const read = { kind: 'query' };
const write = { kind: 'mutation' };
const work = { kind: 'job' };
const upkeep = { kind: 'job', scope: 'admin' as const };
const listing = { kind: 'query', scope: 'admin' as const };

test.each([
  ['query', read, true],
  ['query', write, false],
  ['query', work, false],
  ['query', listing, false],
  ['query', upkeep, false],
  ['mutate', read, true],
  ['mutate', write, true],
  ['mutate', work, true],
  ['mutate', listing, false],
  ['mutate', upkeep, false],
  ['admin', read, true],
  ['admin', write, true],
  ['admin', listing, true],
  ['admin', upkeep, true],
] as const)('%s and %o: %s', (scope, operation, isAllowed) => {
  expect(allows(scope, operation)).toBe(isAllowed);
});

test.each([
  [read, 'query'],
  [write, 'mutate'],
  [work, 'mutate'],
  [upkeep, 'admin'],
])('%o needs %s', (operation, scope) => {
  expect(scopeFor(operation)).toBe(scope);
});
