import { expect, test } from 'vitest';
import { toRankKey } from './ranks.ts';
import { type ReadBucket, type Selection, selectRanked } from './select-ranked.ts';

const today = '2026-01-10';
const ranked = (taskId: string, points: number, due?: string) => ({ taskId, key: toRankKey(points, taskId), due });
const bucket = (name: string, tasks: ReturnType<typeof ranked>[] | undefined, more: Partial<ReadBucket> = {}): ReadBucket => ({
  bucket: name,
  bestKey: tasks?.[0]?.key ?? toRankKey(300, 'T001'),
  points: 0,
  tasks,
  ...more,
});
const select = (more: Partial<Selection>) => {
  const { selected, unread } = selectRanked({
    count: 2,
    buckets: [],
    due: [],
    today,
    excluded: new Set(),
    getMorePoints: () => 0,
    ...more,
  });
  return [selected.map(({ taskId }) => taskId).join(' '), unread.map((one) => one.bucket).join(' ')];
};

const two = [ranked('T005', 300), ranked('T006', 250)];
test.each<[string, Partial<Selection>, [string, string]]>([
  ['a bucket that was not read may have better tasks', { buckets: [bucket('a', two), bucket('b', undefined)] }, ['T005 T006', 'a b']],
  [
    'a bucket whose best task is worse is not read',
    { buckets: [bucket('a', [...two, ranked('T007', 200)]), bucket('b', undefined, { bestKey: toRankKey(240, 'T009') })] },
    ['T005 T006', ''],
  ],
  [
    'a bucket that was read to its end is not read again',
    { count: 3, buckets: [bucket('a', two, { isComplete: true })] },
    ['T005 T006', ''],
  ],
  [
    'a phase gives points to its bucket',
    { buckets: [bucket('a', two, { isComplete: true }), bucket('b', [ranked('T009', 240)], { points: 20, isComplete: true })] },
    ['T005 T009', ''],
  ],
  ['tasks that others hold are left out, and more is read', { buckets: [bucket('a', two)], excluded: new Set(['T005']) }, ['T006', 'a']],
  [
    'points against a task let it follow, and more is read',
    { buckets: [bucket('a', two)], getMorePoints: (id) => (id === 'T005' ? -1000 : 0) },
    ['T006 T005', 'a'],
  ],
  [
    'a task that is due is found though it was not read',
    { buckets: [bucket('a', [...two, ranked('T007', 100)])], due: [{ ...ranked('T050', 260, '2026-01-01'), points: 0 }] },
    ['T050 T005', ''],
  ],
  [
    'with too many due tasks, one that was not read may be due',
    { due: undefined, buckets: [bucket('a', [...two, ranked('T007', 180)])] },
    ['T005 T006', 'a'],
  ],
  [
    'with too many due tasks, those that were read get their points',
    { due: undefined, buckets: [bucket('a', [...two, ranked('T007', 140, '2026-01-09')])] },
    ['T005 T006', ''],
  ],
])('%s', (_, given, expected) => {
  expect(select(given)).toEqual(expected);
});
