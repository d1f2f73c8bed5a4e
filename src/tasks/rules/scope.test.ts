import { describe, expect, test } from 'vitest';
import { fitsScope, isInScope, isSameScope, overlaps, parseScope, scopeFor, scopeText } from './scope.ts';

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
])('scope %j reads as %j', (text, scope) => {
  expect(parseScope(text)).toEqual(scope);
});

test('a scope is printed as it is written', () => {
  for (const text of ['global', 'epic:T001', 'saga:T1000']) expect(scopeText(parseScope(text)!)).toBe(text);
});

test.each([
  ['epic', 'epic', true],
  ['epic', 'task', false],
  ['saga', 'epic', false],
  ['task', 'task', true],
  ['task', 'subtask', true],
  ['global', 'epic', false],
] as const)('a scope %s on a %s: %s', (kind, type, fits) => {
  expect(fitsScope(kind, type)).toBe(fits);
});

describe('containment', () => {
  const saga = [{ id: 'T001' }];
  const epic = [{ id: 'T002' }, ...saga];
  const task = [{ id: 'T003' }, ...epic];
  const other = [{ id: 'T009' }];
  const of = (chain: { id: string }[]) => ({ kind: 'epic' as const, root: chain[0]!.id });

  test('reaches all descendants, and the root itself', () => {
    expect([saga, epic, task, other].map((chain) => isInScope(of(epic), chain))).toEqual([false, true, true, false]);
    expect(isInScope({ kind: 'global' }, other)).toBe(true);
  });

  test('overlap goes both ways; global overlaps with nothing', () => {
    expect(overlaps(of(saga), saga, of(task), task)).toBe(true);
    expect(overlaps(of(task), task, of(saga), saga)).toBe(true);
    expect(overlaps(of(epic), epic, of(other), other)).toBe(false);
    expect(overlaps({ kind: 'global' }, [], of(epic), epic)).toBe(false);
    expect(overlaps(of(epic), epic, { kind: 'global' }, [])).toBe(false);
  });

  test('the same scope is the same kind and root', () => {
    expect(isSameScope({ kind: 'global' }, { kind: 'global' })).toBe(true);
    expect(isSameScope(of(epic), { kind: 'task', root: 'T002' })).toBe(false);
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
] as const)('what would have held %j', (ancestry, expected) => {
  expect(scopeFor(ancestry)).toEqual(expected);
});
