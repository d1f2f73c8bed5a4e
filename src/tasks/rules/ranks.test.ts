import { expect, test } from 'vitest';
import type { OpenTask, OpenWork } from '../model/open-work.ts';
import type { TaskRank } from '../model/rank.ts';
import { computeAllRanks, findStaleRanks } from './all-ranks.ts';
import { computeRanks, getKeyPoints, parseBucket, toBucket, toRankKey } from './ranks.ts';

const task = (id: string, more: Partial<OpenTask> = {}): OpenTask => ({ id, type: 'task', status: 'pending', priority: 'medium', ...more });
const work = (tasks: OpenTask[], more: Partial<OpenWork> = {}): OpenWork => ({
  tasks,
  depends: [],
  startedParents: new Set(),
  claims: [],
  ...more,
});
const brief = (ranks: TaskRank[]): string[] =>
  ranks.map(({ taskId, parentId, isContainer, scoreKey }) => {
    const best = `T${String(scoreKey % 10_000_000_000).padStart(3, '0')}`;
    return `${taskId} in ${parentId || 'top'} ${isContainer ? `by ${best} ` : ''}${getKeyPoints(scoreKey)}`;
  });

test('a key sorts by points, then by the number of the task', () => {
  const keys = [toRankKey(200, 'T1000'), toRankKey(200, 'T999'), toRankKey(400, 'T2000'), toRankKey(-600, 'T001')];
  expect(keys.toSorted((a, b) => a - b)).toEqual([keys[2], keys[1], keys[0], keys[3]]);
  expect(keys.map(getKeyPoints)).toEqual([200, 200, 400, -600]);
});

test.each([
  [undefined, undefined],
  ['ada', undefined],
  [undefined, 'core'],
  ['Ada Lovelace', 'core'],
])('a bucket names the assignee %s and the phase %s', (assignee, phase) => {
  expect(parseBucket(toBucket(assignee, phase))).toEqual({ assignee, phase });
});

const epic = task('T001', { type: 'epic' });
test.each<[string, OpenWork, string[]]>([
  [
    'a container has the best of its tasks, with the points for a started sibling',
    work([epic, task('T002', { parentId: 'T001' }), task('T003', { parentId: 'T001', priority: 'high' })], {
      startedParents: new Set(['T001']),
    }),
    ['T001 in top by T003 350', 'T002 in T001 200', 'T003 in T001 300'],
  ],
  [
    'a blocked container has no rank, its tasks have one',
    work([{ ...epic, status: 'blocked' }, task('T002', { parentId: 'T001' })]),
    ['T002 in T001 200'],
  ],
  [
    'a task that waits, is blocked or has open children has none',
    work([task('T002'), task('T003', { status: 'blocked' }), task('T004'), task('T005', { type: 'subtask', parentId: 'T004' })], {
      depends: [{ taskId: 'T002', dependsOn: 'T005' }],
    }),
    ['T004 in top by T005 225', 'T005 in T004 225'],
  ],
  ['a container that is done is at the top', work([task('T002', { parentId: 'T001' })]), ['T001 in top by T002 200', 'T002 in T001 200']],
  [
    'an epic has a rank for each bucket',
    work([epic, task('T002', { parentId: 'T001', phase: 'core' }), task('T003', { parentId: 'T001' })]),
    ['T001 in top by T002 200', 'T001 in top by T003 200', 'T002 in T001 200', 'T003 in T001 200'],
  ],
])('%s', (_, given, expected) => {
  expect(brief(computeAllRanks(given)).sort()).toEqual(expected);
});

test('adds the best of the children that are not given', () => {
  const facts = { isWaiting: false, hasOpenChildren: true, hasStartedChild: true, dependents: 0 };
  const bucket = toBucket(undefined, undefined);
  const [taskScoreKey, containerScoreKey] = [toRankKey(200, 'T007'), toRankKey(240, 'T009')];
  const best = { parentId: 'T001', bucket, taskScoreKey, containerScoreKey, urgencyKey: toRankKey(200, 'T007') };
  expect(brief(computeRanks([{ ...facts, taskId: 'T001', task: epic }], [best]))).toEqual(['T001 in top by T007 250']);
});

test('finds ranks that are wrong, missing or left over', () => {
  const given = work([epic, task('T002', { parentId: 'T001' }), task('T003')]);
  const [ofEpic, ofSecond, ofThird] = computeAllRanks(given) as [TaskRank, TaskRank, TaskRank];
  expect(findStaleRanks([ofEpic, ofSecond, ofThird], given)).toEqual([]);
  expect(findStaleRanks([ofEpic, { ...ofSecond, scoreKey: 1 }, { ...ofThird, taskId: 'T004' }], given)).toEqual(['T002', 'T003', 'T004']);
});
