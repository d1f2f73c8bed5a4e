import { expect, test } from 'vitest';
import type { TaskType } from '#core/model/scalars.ts';
import { checkChildren, checkPlacement, type Placement, tierBelow } from './hierarchy.ts';

/** The code of the refusal, or undefined. `above`: the parent first, then its own parents. */
function refusal(type: TaskType, above: TaskType[], more: Partial<Placement> = {}): unknown {
  const ancestry = above.map((tier, i) => ({ id: `T00${i + 1}`, type: tier }));
  try {
    checkPlacement({ type, ancestry, openSiblings: 0, maxSiblings: 7, isOpen: true, ...more });
  } catch (error) {
    return (error as { code: string }).code;
  }
  return undefined;
}

const wrong = 'E_INVALID_PARENT_TYPE';

test.each([
  { child: 'saga', top: undefined, saga: wrong, epic: wrong, task: wrong, subtask: wrong },
  { child: 'epic', top: undefined, saga: undefined, epic: wrong, task: wrong, subtask: wrong },
  { child: 'task', top: undefined, saga: wrong, epic: undefined, task: wrong, subtask: wrong },
  { child: 'subtask', top: wrong, saga: wrong, epic: wrong, task: undefined, subtask: wrong },
] as const)('a $child under each tier', ({ child, top, saga, epic, task, subtask }) => {
  expect(refusal(child, [])).toBe(top);
  expect(refusal(child, ['saga'])).toBe(saga);
  expect(refusal(child, ['epic'])).toBe(epic);
  expect(refusal(child, ['task'])).toBe(task);
  expect(refusal(child, ['subtask', 'task'])).toBe(subtask);
});

test.each(['saga', 'epic', 'task', 'subtask'] as const)('a %s below the third level is too deep, whatever it is', (child) => {
  expect(refusal(child, ['subtask', 'task', 'epic'])).toBe('E_DEPTH_EXCEEDED');
  expect(refusal(child, ['subtask', 'task', 'epic', 'saga'])).toBe('E_DEPTH_EXCEEDED');
});

test.each([
  { name: 'a place is left', type: 'task', above: ['epic'], more: { openSiblings: 6 }, code: undefined },
  { name: 'no place is left', type: 'task', above: ['epic'], more: { openSiblings: 7 }, code: 'E_SIBLING_LIMIT' },
  { name: 'nor under a task', type: 'subtask', above: ['task'], more: { openSiblings: 7 }, code: 'E_SIBLING_LIMIT' },
  { name: 'a saga has no limit', type: 'epic', above: ['saga'], more: { openSiblings: 700 }, code: undefined },
  { name: '0 is no limit', type: 'task', above: ['epic'], more: { openSiblings: 700, maxSiblings: 0 }, code: undefined },
  { name: 'what is done takes no place', type: 'task', above: ['epic'], more: { openSiblings: 7, isOpen: false }, code: undefined },
  { name: 'the wrong tier goes before the limit', type: 'subtask', above: ['epic'], more: { openSiblings: 7 }, code: wrong },
] as { name: string; type: TaskType; above: TaskType[]; more: Partial<Placement>; code: string | undefined }[])(
  '$name',
  ({ type, above, more, code }) => {
    expect(refusal(type, above, more)).toBe(code);
  },
);

test.each([
  [undefined, 'task'],
  ['saga', 'epic'],
  ['epic', 'task'],
  ['task', 'subtask'],
  ['subtask', 'subtask'],
] as const)('without a tier, a child of %s is a %s', (parent, tier) => {
  expect(tierBelow(parent)).toBe(tier);
});

test('children go along only where they still fit', () => {
  expect(() => checkChildren({ id: 'T001', type: 'epic' }, [{ id: 'T002', type: 'task' }])).not.toThrow();
  expect(() => checkChildren({ id: 'T001', type: 'task' }, [{ id: 'T002', type: 'task' }])).toThrow(/cannot be placed under the task T001/);
  expect(() => checkChildren({ id: 'T001', type: 'saga' }, [])).not.toThrow();
});
