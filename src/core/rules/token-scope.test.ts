import { expect, test } from 'vitest';
import type { TokenScope } from '../model/token.ts';
import { getRequiredScope, includesScope, isAllowed, isHostAllowed, type ScopedOperation } from './token-scope.ts';

const read: ScopedOperation = { kind: 'query' };
const write: ScopedOperation = { kind: 'mutation' };
const job: ScopedOperation = { kind: 'job' };
const decision: ScopedOperation = { kind: 'mutation', scope: 'decide' };
const adminJob: ScopedOperation = { kind: 'job', scope: 'admin' };
const adminQuery: ScopedOperation = { kind: 'query', scope: 'admin' };
const conditional: ScopedOperation = { kind: 'job', scope: { scope: 'admin', when: 'for some keys' } };
const hostQuery: ScopedOperation = { kind: 'query', usesHost: true };
const all = { read, write, job, decision, adminJob, adminQuery, conditional, hostQuery };

test.each<[TokenScope | undefined, (keyof typeof all)[]]>([
  ['query', ['read']],
  ['mutate', ['read', 'write', 'job', 'conditional']],
  ['decide', ['read', 'write', 'job', 'decision', 'conditional']],
  ['admin', ['read', 'write', 'job', 'decision', 'adminJob', 'adminQuery', 'conditional', 'hostQuery']],
  // The shell and MCP over stdio.
  [undefined, ['read', 'write', 'job', 'conditional', 'hostQuery']],
])('scope %s may call exactly %j', (scope, expected) => {
  const allowed = Object.entries(all).filter(([, operation]) => isAllowed(scope && { scope }, operation));
  expect(allowed.map(([name]) => name)).toEqual(expected);
});

test.each([
  [read, 'query'],
  [write, 'mutate'],
  [job, 'mutate'],
  [decision, 'decide'],
  [adminJob, 'admin'],
  [conditional, 'mutate'],
  [hostQuery, 'query'],
] as const)('%o needs %s', (operation, scope) => {
  expect(getRequiredScope(operation)).toBe(scope);
});

test('each scope includes those before it', () => {
  const scopes: TokenScope[] = ['query', 'mutate', 'decide', 'admin'];
  for (const [i, scope] of scopes.entries())
    expect(scopes.filter((required) => includesScope(scope, required))).toEqual(scopes.slice(0, i + 1));
});

test.each([
  [undefined, true],
  ['mutate', false],
  ['decide', false],
  ['admin', true],
] as const)('scope %s may use the host: %s', (scope, expected) => {
  expect(isHostAllowed(scope && { scope })).toBe(expected);
});
