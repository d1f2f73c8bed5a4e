import { describe, expect, test } from 'vitest';
import type { TaskId, TaskType } from '#core/model/scalars.ts';
import { checkChildren, checkPlacement, getChildTier, type Placement, sortParentsFirst } from './hierarchy.ts';

/** Returns the error code, or undefined. `above`: the parent, then its ancestors. */
function getErrorCode(type: TaskType, above: TaskType[], more: Partial<Placement> = {}): unknown {
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
  expect(getErrorCode(child, [])).toBe(top);
  expect(getErrorCode(child, ['saga'])).toBe(saga);
  expect(getErrorCode(child, ['epic'])).toBe(epic);
  expect(getErrorCode(child, ['task'])).toBe(task);
  expect(getErrorCode(child, ['subtask', 'task'])).toBe(subtask);
});

test.each(['saga', 'epic', 'task', 'subtask'] as const)('rejects a %s below the third level', (child) => {
  expect(getErrorCode(child, ['subtask', 'task', 'epic'])).toBe('E_DEPTH_EXCEEDED');
  expect(getErrorCode(child, ['subtask', 'task', 'epic', 'saga'])).toBe('E_DEPTH_EXCEEDED');
});

test.each([
  { name: 'below the limit', type: 'task', above: ['epic'], more: { openSiblings: 6 }, code: undefined },
  { name: 'at the limit', type: 'task', above: ['epic'], more: { openSiblings: 7 }, code: 'E_SIBLING_LIMIT' },
  { name: 'at the limit, under a task', type: 'subtask', above: ['task'], more: { openSiblings: 7 }, code: 'E_SIBLING_LIMIT' },
  { name: 'a saga has no limit', type: 'epic', above: ['saga'], more: { openSiblings: 700 }, code: undefined },
  { name: '0 means no limit', type: 'task', above: ['epic'], more: { openSiblings: 700, maxSiblings: 0 }, code: undefined },
  { name: 'done tasks do not count', type: 'task', above: ['epic'], more: { openSiblings: 7, isOpen: false }, code: undefined },
  { name: 'reports the wrong tier before the limit', type: 'subtask', above: ['epic'], more: { openSiblings: 7 }, code: wrong },
] as { name: string; type: TaskType; above: TaskType[]; more: Partial<Placement>; code: string | undefined }[])(
  '$name',
  ({ type, above, more, code }) => {
    expect(getErrorCode(type, above, more)).toBe(code);
  },
);

test.each([
  [undefined, 'task'],
  ['saga', 'epic'],
  ['epic', 'task'],
  ['task', 'subtask'],
  ['subtask', 'subtask'],
] as const)('the default tier below %s is %s', (parent, tier) => {
  expect(getChildTier(parent)).toBe(tier);
});

test('rejects a tier that the children do not fit below', () => {
  expect(() => checkChildren({ id: 'T001', type: 'epic' }, [{ id: 'T002', type: 'task' }])).not.toThrow();
  expect(() => checkChildren({ id: 'T001', type: 'task' }, [{ id: 'T002', type: 'task' }])).toThrow(/cannot be placed under the task T001/);
  expect(() => checkChildren({ id: 'T001', type: 'saga' }, [])).not.toThrow();
});

describe('sortParentsFirst', () => {
  const sort = (lines: string[]): TaskId[] => {
    const pairs = lines.map((line) => line.split(' in ') as [TaskId, TaskId?]);
    return sortParentsFirst(
      pairs.map(([id]) => id),
      pairs.map(([, parent]) => parent),
    );
  };

  test.each([
    ['no parents', ['T3', 'T1', 'T2'], ['T3', 'T1', 'T2']],
    ['parents that come first', ['T1', 'T2 in T1', 'T3 in T2'], ['T1', 'T2', 'T3']],
    ['parents that come last', ['T3 in T2', 'T2 in T1', 'T1'], ['T1', 'T2', 'T3']],
    ['parents that are not in the list', ['T3 in T2', 'T2 in T9', 'T5 in T9'], ['T2', 'T3', 'T5']],
    ['children of one parent, which keep their order', ['T4 in T1', 'T3 in T1', 'T1'], ['T1', 'T4', 'T3']],
  ])('sorts a list with %s', (_, lines, sorted) => {
    expect(sort(lines)).toEqual(sorted);
  });

  test.each([
    ['itself', ['T1 in T1'], ['T1', 'T1']],
    ['each other', ['T4 in T2', 'T1 in T2', 'T2 in T3', 'T3 in T1'], ['T2', 'T3', 'T1', 'T2']],
  ])('refuses tasks that contain %s', (_, lines, path) => {
    expect(() => sort(lines)).toThrow(
      expect.objectContaining({ code: 'E_CIRCULAR_REFERENCE', details: expect.objectContaining({ path }) }),
    );
  });
});
