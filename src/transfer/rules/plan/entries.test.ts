import { expect, test } from 'vitest';
import type { PlanValue } from '../../model/plan.ts';
import { isSameValue } from './entries.ts';

test.each<[PlanValue | undefined, PlanValue | undefined, boolean]>([
  ['a', 'a', true],
  ['a', 'b', false],
  [undefined, undefined, true],
  [undefined, null, false],
  [null, {}, false],
  [[], {}, false],
  [[1, { a: 'x' }], [1, { a: 'x' }], true],
  [[1], [1, 2], false],
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ toString: 'x' }, { a: 'x' }, false],
])('%j and %j: same value is %j', (a, b, isSame) => {
  expect([isSameValue(a, b), isSameValue(b, a)]).toEqual([isSame, isSame]);
});
