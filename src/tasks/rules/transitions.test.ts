import { expect, test } from 'vitest';
import type { CleoError } from '#core/errors/error.ts';
import type { Status } from '#core/model/scalars.ts';
import { checkTransition } from './transitions.ts';

const answer = (from: Status, to: Status): string => {
  try {
    checkTransition({ id: 'T001', status: from }, to, 'it');
    return 'ok';
  } catch (error) {
    return `${(error as CleoError).exitCode} ${(error as CleoError).fix}`;
  }
};

test.each<[Status, Status, string]>([
  ['pending', 'active', 'ok'],
  ['pending', 'blocked', 'ok'],
  ['pending', 'done', 'ok'],
  ['active', 'pending', 'ok'],
  ['active', 'blocked', 'ok'],
  ['active', 'done', 'ok'],
  ['blocked', 'pending', 'ok'],
  ['blocked', 'active', 'ok'],
  ['blocked', 'done', '6 cleo focus set T001'],
  ['done', 'active', '17 cleo reopen T001'],
  ['done', 'pending', '17 cleo reopen T001'],
  ['done', 'blocked', '17 cleo reopen T001'],
])('%s to %s: %s', (from, to, expected) => {
  expect(answer(from, to)).toBe(expected);
});
