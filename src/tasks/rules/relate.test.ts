import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRelated, getTitleWords, type Relatable, suggestRelated } from './relate.ts';

const task = (id: string, more: Partial<Relatable> = {}): Relatable => ({
  id,
  title: `Task ${id}`,
  labels: [],
  files: [],
  depends: [],
  ...more,
});

test.each([
  {
    name: 'an equal task',
    from: task('T001', { title: 'Write parser', labels: ['api'], files: ['a.ts'], parentId: 'T009', phase: 'core' }),
    to: task('T002', { title: 'Write parser', labels: ['api'], files: ['a.ts'], parentId: 'T009', phase: 'core' }),
    score: 100,
    reasons: ['labels api 30', 'files a.ts 30', 'title words write, parser 25', 'parent T009 10', 'phase core 5'],
  },
  {
    name: 'fields that the task leaves empty',
    from: task('T001', { title: 'Write parser' }),
    to: task('T002', { title: 'Write parser', labels: ['api'], files: ['a.ts'] }),
    score: 100,
    reasons: ['title words write, parser 100'],
  },
  {
    name: 'half of the labels',
    from: task('T001', { title: 'The', labels: ['api', 'web'] }),
    to: task('T002', { title: 'The', labels: ['api', 'db'] }),
    score: 50,
    reasons: ['labels api 50'],
  },
  {
    name: 'nothing in common',
    from: task('T001', { title: 'Alpha', labels: ['api'] }),
    to: task('T002', { title: 'Beta', labels: ['db'] }),
    score: undefined,
    reasons: [],
  },
  {
    name: 'not its parent',
    from: task('T002', { title: 'Write parser', parentId: 'T001' }),
    to: task('T001', { title: 'Write parser' }),
    score: undefined,
    reasons: [],
  },
  {
    name: 'not its child',
    from: task('T001', { title: 'Write parser' }),
    to: task('T002', { title: 'Write parser', parentId: 'T001' }),
    score: undefined,
    reasons: [],
  },
])('$name', ({ from, to, score, reasons }) => {
  const [found] = suggestRelated(from, [from, to], 0);
  expect(found?.score).toBe(score);
  expect(found?.reasons.map((r) => `${r.term} ${r.points}`) ?? []).toEqual(reasons);
});

test('sorts by score and applies the threshold', () => {
  const from = task('T001', { title: 'Alpha', labels: ['a', 'b'] });
  const tasks = [
    task('T002', { title: 'x', labels: ['a'] }),
    task('T003', { title: 'x', labels: ['a', 'b'] }),
    task('T004', { title: 'x', labels: ['a', 'b'] }),
  ];
  expect(suggestRelated(from, tasks, 0).map((s) => `${s.taskId} ${s.score}`)).toEqual(['T003 55', 'T004 55', 'T002 36']);
  expect(suggestRelated(from, tasks, 50).map((s) => s.taskId)).toEqual(['T003', 'T004']);
});

test('names the methods of each discovery', () => {
  const from = task('T001', { title: 'Write the parser', labels: ['api'], files: ['a.ts'], depends: ['T002', 'T009'] });
  const tasks = [
    task('T002', { title: 'Nothing' }),
    task('T003', { title: 'Nothing', depends: ['T001'] }),
    task('T004', { title: 'Nothing', depends: ['T009'] }),
    task('T005', { title: 'Nothing', labels: ['api'], files: ['a.ts'] }),
    task('T006', { title: 'A parser', description: 'that we write' }),
    task('T007', { title: 'A parser' }),
  ];
  expect(findRelated(from, tasks).map(({ taskId, by }) => [taskId, ...by.map((b) => `${b.method} ${b.shared}`)])).toEqual([
    ['T005', 'labels api', 'files a.ts'],
    ['T006', 'text write,parser'],
    ['T002', 'depends T002'],
    ['T003', 'depends T001'],
    ['T004', 'depends T009'],
  ]);
});

test('leaves out stop words of a title', () => {
  expect(getTitleWords({ title: 'Add the parser for UI and a lexer, the parser' })).toEqual(['parser', 'lexer']);
});

const anyTask = fc.record({
  id: fc.integer({ min: 1, max: 50 }).map((n) => `T0${String(n).padStart(2, '0')}`),
  title: fc.subarray(['write', 'parser', 'lexer', 'the', 'docs']).map((words) => words.join(' ')),
  labels: fc.subarray(['a', 'b', 'c']),
  files: fc.subarray(['x.ts', 'y.ts']),
  depends: fc.subarray(['T001', 'T002']),
});

test('a score is between 0 and 100, the sum of its reasons, and mutual', () => {
  fc.assert(
    fc.property(anyTask, anyTask, (a, b) => {
      const [found] = suggestRelated(a, [b], 0);
      const [back] = suggestRelated(b, [a], 0);
      expect(found === undefined).toBe(back === undefined);
      if (!found) return;
      expect(found.score).toBeGreaterThan(0);
      expect(found.score).toBeLessThanOrEqual(100);
      expect(found.reasons.reduce((sum, r) => sum + r.points, 0)).toBe(found.score);
    }),
  );
});
