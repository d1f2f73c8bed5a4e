import { expect, test } from 'vitest';
import type { PlanSummary } from '../../model/plan.ts';
import { resolvePlan } from './resolve.ts';
import { compareCreation, resolveNumbers } from './resolve-numbers.ts';
import { createStamp } from './stamp.ts';

const task = (uid: string, id: string, ms: number, more: Partial<PlanSummary> = {}): PlanSummary => ({
  kind: 'task',
  uid,
  created: { stamp: createStamp(ms, 'a1'), id },
  type: 'task',
  placeStamp: createStamp(ms, 'a1'),
  ...more,
});
const on = (uid: string, ms: number) => ({ on: uid, stamp: createStamp(ms, 'a1') });
const resolve = (...tasks: PlanSummary[]) => {
  const { outcomes, issues } = resolvePlan(tasks);
  expect(resolvePlan([...tasks].reverse())).toEqual({ outcomes, issues });
  return {
    get: (uid: string, kind = 'task') => outcomes.get(`${kind} ${uid}`),
    issues: issues.map(({ kind, uids }) => [kind, ...uids].join(' ')),
  };
};

test('a number belongs to the record created first; others take the smallest free number above their own', () => {
  const records = [
    task('c', 'T001', 3),
    task('a', 'T001', 1),
    task('b', 'T001', 2),
    task('d', 'T002', 9),
    task('e', 'T004', 5, { isDeleted: true }),
    task('f', 'T002', 10),
  ].sort(compareCreation);
  const ids = [...resolveNumbers(records)].map(([key, { id, renumberedFrom }]) =>
    `${key.slice('task '.length)} ${id} ${renumberedFrom ?? ''}`.trim(),
  );
  expect(ids.sort()).toEqual(['a T001', 'b T003 T001', 'c T005 T001', 'd T002', 'e T004', 'f T006 T002']);
});

test('10,000 numbers given twice are resolved in linear time', () => {
  const records = Array.from({ length: 20_000 }, (_, i) => task(`u${i}`, `T${String((i % 10_000) + 1).padStart(3, '0')}`, i)).sort(
    compareCreation,
  );
  const numbers = new Set([...resolveNumbers(records).values()].map(({ id }) => id));
  expect(numbers.size).toBe(20_000);
  expect(numbers.has('T20000')).toBe(true);
});

test('memory is numbered apart from tasks', () => {
  const memory = (uid: string, ms: number): PlanSummary => ({
    kind: 'memory',
    uid,
    created: { stamp: createStamp(ms, 'a1'), id: 'D-001' },
  });
  const { get } = resolve(memory('m', 1), memory('n', 2), task('t', 'T002', 1));
  const found = ['m', 'n'].map((uid) => get(uid, 'memory'));
  expect([found[0]?.id, found[1]?.id, found[1]?.renumberedFrom]).toEqual(['D-001', 'D-002', 'D-001']);
});

test('records of two kinds with the same uid have outcomes of their own', () => {
  const document: PlanSummary = { kind: 'document', uid: 'a', created: { stamp: createStamp(9, 'a1') } };
  const memory: PlanSummary = { kind: 'memory', uid: 'a', created: { stamp: createStamp(9, 'a1'), id: 'D-001' } };
  const { get } = resolve(task('a', 'T001', 1, { type: 'epic' }), document, memory, task('b', 'T002', 2, { parent: 'a' }));
  expect([get('a'), get('a', 'document'), get('a', 'memory')]).toEqual([{ id: 'T001', type: 'epic' }, {}, { id: 'D-001' }]);
  expect(get('b')?.parent).toBe('a');
});

test('a cycle of dependencies is cut at the dependency that was written last', () => {
  const { get, issues } = resolve(
    task('a', 'T001', 1, { depends: [on('b', 30)] }),
    task('b', 'T002', 2, { depends: [on('c', 20)] }),
    task('c', 'T003', 3, { depends: [on('a', 40)] }),
  );
  expect([get('a')?.withoutDepends, get('b')?.withoutDepends, get('c')?.withoutDepends]).toEqual([undefined, undefined, ['a']]);
  expect(issues).toEqual(['cycle c a']);
});

test('a dependency on an ancestor or on itself is left out', () => {
  const { issues } = resolve(
    task('e', 'T001', 1, { type: 'epic' }),
    task('t', 'T002', 2, { parent: 'e', depends: [on('e', 5), on('t', 6)] }),
  );
  expect(issues).toEqual(['cycle t e', 'cycle t t']);
});

test('a cycle of parents is cut at the parent that was written last', () => {
  const stamp = (ms: number) => createStamp(ms, 'b2');
  const { get, issues } = resolve(
    task('a', 'T001', 1, { type: 'epic', parent: 'b', placeStamp: stamp(10) }),
    task('b', 'T002', 2, { type: 'saga', parent: 'a', placeStamp: stamp(20) }),
  );
  expect(get('b')).toMatchObject({ type: 'saga' });
  expect(get('b')).not.toHaveProperty('parent');
  expect(get('a')).toMatchObject({ type: 'epic', parent: 'b' });
  expect(issues).toEqual(['cycle b a']);
});

test('a task takes the tier below its parent, or moves to the top level if it contains tasks', () => {
  const { get, issues } = resolve(
    task('p', 'T001', 1),
    task('leaf', 'T002', 2, { parent: 'p' }),
    task('full', 'T003', 3, { parent: 'p' }),
    task('sub', 'T004', 4, { type: 'subtask', parent: 'full' }),
  );
  expect(get('leaf')).toMatchObject({ type: 'subtask', parent: 'p' });
  expect(get('full')).toEqual({ id: 'T003', type: 'task' });
  expect(get('sub')).toMatchObject({ type: 'subtask', parent: 'full' });
  expect(issues).toEqual(['tier full p', 'tier leaf p']);
});

test('a task whose parent is missing or deleted is at the top level until the parent arrives', () => {
  const sub = task('sub', 'T002', 2, { type: 'subtask', parent: 'p' });
  expect(resolve(sub).get('sub')).toEqual({ id: 'T002', type: 'task' });
  expect(resolve(sub, task('p', 'T001', 1, { isDeleted: true })).issues).toEqual(['missing-parent sub p']);
  expect(resolve(sub, task('p', 'T001', 1)).get('sub')).toEqual({ id: 'T002', type: 'subtask', parent: 'p' });
});

test('done ancestors of an open task are pending again', () => {
  const { get, issues } = resolve(
    task('s', 'T001', 1, { type: 'saga', isDone: true }),
    task('e', 'T002', 2, { type: 'epic', parent: 's', isDone: true }),
    task('t', 'T003', 3, { parent: 'e' }),
    task('u', 'T004', 4, { isDone: true }),
  );
  expect([get('s')?.isReopened, get('e')?.isReopened, get('u')?.isReopened]).toEqual([true, true, undefined]);
  expect(issues).toEqual(['reopened e', 'reopened s']);
});

test('relations inside a family and to missing tasks are left out, and an alias has one owner', () => {
  const { get, issues } = resolve(
    task('p', 'T001', 1, { aliases: ['beads bd-1'] }),
    task('c', 'T002', 2, {
      type: 'subtask',
      parent: 'p',
      relations: [
        { key: 'p related', to: 'p' },
        { key: 'x related', to: 'x' },
      ],
      aliases: ['beads bd-1', 'beads bd-2'],
    }),
  );
  expect(get('c')).toMatchObject({ withoutRelations: ['p related', 'x related'], withoutAliases: ['beads bd-1'] });
  expect(issues).toEqual(['missing-target c x', 'relation-in-family c p', 'duplicate-alias c p']);
});
