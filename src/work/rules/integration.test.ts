import { expect, test } from 'vitest';
import { type BaseMove, type BaseState, decideBaseMove } from './integration.ts';

const checkedOut: BaseState = { branch: 'main', checkedOutIn: '/project', isMainWorktree: true, isClean: true };

test.each<[string, BaseState, BaseMove]>([
  [
    'a branch that is checked out nowhere',
    { ...checkedOut, checkedOutIn: undefined, isMainWorktree: false, isClean: false },
    { how: 'update-ref' },
  ],
  ['a clean main worktree', checkedOut, { how: 'fast-forward', folder: '/project' }],
  ['a main worktree with changes', { ...checkedOut, isClean: false }, { how: 'wait', reason: '/project has uncommitted changes' }],
  [
    'another worktree, although it is clean',
    { ...checkedOut, isMainWorktree: false },
    { how: 'wait', reason: 'main is checked out in /project' },
  ],
])('moves the base branch: %s', (_, state, expected) => {
  expect(decideBaseMove(state)).toEqual(expected);
});
