import { describe, expect, test } from 'vitest';
import { areScopesOverlapping, canScope, findScope, formatScope, isInScope, isSameScope, parseScope } from './scope.ts';

test.each([
  ['global', { kind: 'global' }],
  ['epic:T1', { kind: 'epic', root: 'T001' }],
  ['saga:t012', { kind: 'saga', root: 'T012' }],
  [' task:E-T7 ', { kind: 'task', root: 'T007' }],
  ['epic', undefined],
  ['epic:', undefined],
  ['epic:banana', undefined],
  ['epic:T1:T2', undefined],
  ['global:T1', undefined],
  ['subtask:T1', undefined],
  ['T1', undefined],
  ['', undefined],
])('parses %j as %j', (text, scope) => {
  expect(parseScope(text)).toEqual(scope);
});

test('formats a scope as it is written', () => {
  for (const text of ['global', 'epic:T001', 'saga:T1000']) expect(formatScope(parseScope(text)!)).toBe(text);
});

test.each([
  ['epic', 'epic', true],
  ['epic', 'task', false],
  ['saga', 'epic', false],
  ['task', 'task', true],
  ['task', 'subtask', true],
  ['global', 'epic', false],
] as const)('a scope of kind %s with a %s as root: %s', (kind, type, expected) => {
  expect(canScope(kind, type)).toBe(expected);
});

describe('containment', () => {
  const saga = [{ id: 'T001' }];
  const epic = [{ id: 'T002' }, ...saga];
  const task = [{ id: 'T003' }, ...epic];
  const other = [{ id: 'T009' }];
  const toScope = (chain: { id: string }[]) => ({ kind: 'epic' as const, root: chain[0]!.id });

  test('includes the root and all its descendants', () => {
    expect([saga, epic, task, other].map((chain) => isInScope(toScope(epic), chain))).toEqual([false, true, true, false]);
    expect(isInScope({ kind: 'global' }, other)).toBe(true);
  });

  test('overlap is symmetric; global overlaps with none', () => {
    expect(areScopesOverlapping(toScope(saga), saga, toScope(task), task)).toBe(true);
    expect(areScopesOverlapping(toScope(task), task, toScope(saga), saga)).toBe(true);
    expect(areScopesOverlapping(toScope(epic), epic, toScope(other), other)).toBe(false);
    expect(areScopesOverlapping({ kind: 'global' }, [], toScope(epic), epic)).toBe(false);
    expect(areScopesOverlapping(toScope(epic), epic, { kind: 'global' }, [])).toBe(false);
  });

  test('equal scopes have the same kind and root', () => {
    expect(isSameScope({ kind: 'global' }, { kind: 'global' })).toBe(true);
    expect(isSameScope(toScope(epic), { kind: 'task', root: 'T002' })).toBe(false);
  });
});

test.each([
  [
    [
      { id: 'T003', type: 'task' },
      { id: 'T002', type: 'epic' },
    ],
    { scope: { kind: 'epic', root: 'T002' }, epicId: 'T002' },
  ],
  [[{ id: 'T002', type: 'epic' }], { scope: { kind: 'epic', root: 'T002' }, epicId: 'T002' }],
  [[{ id: 'T001', type: 'saga' }], { scope: { kind: 'saga', root: 'T001' } }],
  [[{ id: 'T005', type: 'subtask' }], { scope: { kind: 'task', root: 'T005' } }],
  [[], { scope: { kind: 'global' } }],
] as const)('suggests a scope that contains %j', (ancestry, expected) => {
  expect(findScope(ancestry)).toEqual(expected);
});
