import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Claim } from '#core/model/audit.ts';
import type { Priority, Status, TaskSize, TaskType } from '#core/model/scalars.ts';
import type { OpenWork } from '../model/open-work.ts';
import { isExpired } from './claims.ts';
import { listFreeTasks, rankTasks, selectReadyTasks } from './next.ts';

type Task = OpenWork['tasks'][number];
const now = '2026-06-01T12:00:00.000Z';
const options = { isLapsed: (claim: Claim) => isExpired(claim, now, 60) };

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  type: 'task',
  status: 'pending',
  priority: 'medium',
  ...more,
});
const claim = (taskId: string, agent: string, renewedAt = now): Claim => ({
  taskId,
  agent,
  claimedAt: renewedAt,
  focusedAt: renewedAt,
  renewedAt,
});
const work = (tasks: Task[], more: Partial<OpenWork> = {}): OpenWork => ({
  tasks,
  depends: [],
  startedParents: new Set(),
  claims: [],
  ...more,
});
const edge = (taskId: string, dependsOn: string) => ({ taskId, dependsOn });

test.each([
  {
    name: 'sorts by priority',
    given: work([task('T001'), task('T002', { priority: 'critical' }), task('T003', { priority: 'low' })]),
    scores: ['T002 400', 'T001 200', 'T003 100'],
  },
  {
    name: 'adds points for each open dependent',
    given: work([task('T001'), task('T002'), task('T003', { status: 'blocked' }), task('T004', { status: 'blocked' })], {
      depends: [edge('T003', 'T002'), edge('T004', 'T002')],
    }),
    scores: ['T002 250', 'T001 200'],
  },
  {
    name: 'limits the points for dependents to 150',
    given: work([task('T001'), ...Array.from({ length: 8 }, (_, i) => task(`T01${i}`, { status: 'blocked' }))], {
      depends: Array.from({ length: 8 }, (_, i) => edge(`T01${i}`, 'T001')),
    }),
    scores: ['T001 350'],
  },
  {
    name: 'adds points for a started sibling',
    given: work([task('T001', { type: 'epic' }), task('T002', { parentId: 'T001' }), task('T003')], { startedParents: new Set(['T001']) }),
    scores: ['T002 250', 'T003 200'],
  },
  {
    name: 'prefers small to medium to large or no size',
    given: work([task('T001'), task('T002', { size: 'large' }), task('T003', { size: 'medium' }), task('T004', { size: 'small' })]),
    scores: ['T004 210', 'T003 205', 'T001 200', 'T002 200'],
  },
  { name: 'sorts ties by number, not as text', given: work([task('T1000'), task('T999')]), scores: ['T999 200', 'T1000 200'] },
])('$name', ({ given, scores }) => {
  expect(rankTasks(given, options, 50).map((r) => `${r.taskId} ${r.score}`)).toEqual(scores);
});

test.each([1, 2, 3, 50])('takes the lowest ids of a tie for the top %i, whatever the order of the rows', (count) => {
  const tasks = [task('T1000'), task('T999'), task('T020'), task('T003'), task('T021')];
  const expected = ['T003', 'T020', 'T021', 'T999', 'T1000'].slice(0, count);
  for (const rows of [tasks, tasks.toReversed()]) expect(rankTasks(work(rows), options, count).map((r) => r.taskId)).toEqual(expected);
});

test('adds points for the phase of the session', () => {
  const given = work([task('T001', { phase: 'setup' }), task('T002', { phase: 'core' })]);
  expect(rankTasks(given, { ...options, phase: 'core' }, 50).map((r) => `${r.taskId} ${r.score}`)).toEqual(['T002 220', 'T001 200']);
});

test('ranks a task with a file conflict behind all others and names the conflict', () => {
  const given = work([task('T001', { priority: 'critical' }), task('T002', { priority: 'low' }), task('T003')]);
  const conflicts = new Map([['T001', 'a.ts is changed by T009, held by ada']]);
  const ranked = rankTasks(given, { ...options, conflicts }, 50);
  expect(ranked.map((r) => `${r.taskId} ${r.score}`)).toEqual(['T003 200', 'T002 100', 'T001 -600']);
  expect(ranked[2]?.reasons).toEqual([
    { term: 'priority critical', points: 400 },
    { term: 'a.ts is changed by T009, held by ada', points: -1000 },
  ]);
});

test('lists every reason with its points', () => {
  const given = work(
    [
      task('T001', { type: 'epic' }),
      task('T002', { parentId: 'T001', priority: 'high', size: 'small', phase: 'core' }),
      task('T003', { status: 'blocked' }),
    ],
    {
      depends: [edge('T003', 'T002')],
      startedParents: new Set(['T001']),
    },
  );
  expect(rankTasks(given, { ...options, phase: 'core' }, 50)[0]).toEqual({
    taskId: 'T002',
    score: 405,
    reasons: [
      { term: 'priority high', points: 300 },
      { term: '1 open task depends on it', points: 25 },
      { term: 'a sibling is active or done', points: 50 },
      { term: 'phase core', points: 20 },
      { term: 'size small', points: 10 },
    ],
  });
});

const stale = '2026-06-01T10:59:59.000Z';

test('names the holder that a task is taken over from, unless it is the caller', () => {
  const given = work([task('T001', { status: 'active' })], { claims: [claim('T001', 'ada', stale)] });
  const listTerms = (agent: string) => rankTasks(given, { ...options, caller: { agent } }, 1)[0]?.reasons.map(({ term }) => term);
  expect(listTerms('bob')).toEqual(['priority medium', 'taken over from ada']);
  expect(listTerms('ada')).toEqual(['priority medium']);
});

test.each([
  { name: 'an active task that nobody holds', given: work([task('T001', { status: 'active' })]), next: ['T001'], ready: ['T001'] },
  { name: 'a blocked task', given: work([task('T001', { status: 'blocked' })]), next: [], ready: [] },
  {
    name: 'a child of a blocked task',
    given: work([task('T001', { type: 'epic', status: 'blocked' }), task('T002', { parentId: 'T001' })]),
    next: [],
    ready: [],
  },
  { name: 'sagas and epics', given: work([task('T001', { type: 'saga' }), task('T002', { type: 'epic' })]), next: [], ready: [] },
  {
    name: 'a task with open children',
    given: work([task('T001'), task('T002', { type: 'subtask', parentId: 'T001' })]),
    next: ['T002'],
    ready: ['T002'],
  },
  {
    name: 'a task with an open dependency',
    given: work([task('T001'), task('T002')], { depends: [edge('T002', 'T001')] }),
    next: ['T001'],
    ready: ['T001'],
  },
  {
    name: 'a descendant of a waiting task',
    given: work(
      [
        task('T001'),
        task('T002', { type: 'epic' }),
        task('T003', { parentId: 'T002' }),
        task('T004', { type: 'subtask', parentId: 'T003' }),
      ],
      { depends: [edge('T002', 'T001')] },
    ),
    next: ['T001'],
    ready: ['T001'],
  },
  {
    name: 'a task held by another agent',
    given: work([task('T001'), task('T002', { status: 'active' })], { claims: [claim('T001', 'other'), claim('T002', 'other')] }),
    next: [],
    ready: [],
  },
  {
    name: 'a task with an expired claim',
    given: work([task('T001'), task('T002', { status: 'active' })], {
      claims: [claim('T001', 'other', stale), claim('T002', 'other', stale)],
    }),
    next: ['T001', 'T002'],
    ready: ['T001', 'T002'],
  },
  {
    name: 'a task held by the caller',
    given: work([task('T001', { status: 'active' })], { claims: [claim('T001', 'me')] }),
    next: [],
    ready: ['T001'],
  },
])('$name', ({ given, next, ready: expected }) => {
  expect(rankTasks(given, options, 50).map((r) => r.taskId)).toEqual(next);
  expect(selectReadyTasks(given, { ...options, caller: { agent: 'me' } }).map((t) => t.id)).toEqual(expected);
});

test('sorts ready tasks by priority, then by id', () => {
  const given = work([task('T010'), task('T002', { priority: 'low' }), task('T009', { priority: 'critical' }), task('T003')]);
  expect(selectReadyTasks(given, { ...options, caller: { agent: 'me' } }).map((t) => t.id)).toEqual(['T009', 'T003', 'T010', 'T002']);
});

test.each([
  { within: 'T001', found: ['T003', 'T004'] },
  { within: 'T002', found: ['T003', 'T004'] },
  { within: 'T003', found: ['T003'] },
  { within: 'T005', found: ['T006'] },
  { within: 'T007', found: ['T008'] },
])('limits to tasks within $within', ({ within, found }) => {
  const given = work([
    task('T001', { type: 'saga' }),
    task('T002', { type: 'epic', parentId: 'T001' }),
    task('T003', { parentId: 'T002' }),
    task('T004', { parentId: 'T002' }),
    task('T005'),
    task('T006', { type: 'subtask', parentId: 'T005' }),
    // Its parent is done and therefore not among the open tasks.
    task('T008', { type: 'subtask', parentId: 'T007' }),
  ]);
  expect(rankTasks(given, { ...options, within }, 50).map((r) => r.taskId)).toEqual(found);
});

/** A forest of saga, epic, task and subtask with dependencies on older tasks. */
const anyWork = fc
  .array(
    fc.record({
      parent: fc.nat(),
      isTop: fc.boolean(),
      on: fc.array(fc.nat(), { maxLength: 2 }),
      status: fc.constantFrom<Status>('pending', 'pending', 'pending', 'active', 'blocked'),
      priority: fc.constantFrom<Priority>('critical', 'high', 'medium', 'low'),
      size: fc.constantFrom<TaskSize | undefined>('small', 'medium', 'large', undefined),
      held: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((seeds): OpenWork => {
    const below: Record<TaskType, TaskType> = { saga: 'epic', epic: 'task', task: 'subtask', subtask: 'subtask' };
    const tasks: Task[] = [];
    const depends: OpenWork['depends'] = [];
    const claims: Claim[] = [];
    seeds.forEach((seed, i) => {
      const id = `T${String(i + 1).padStart(3, '0')}`;
      const parents = tasks.filter((t) => t.type !== 'subtask');
      const parent = seed.isTop || parents.length === 0 ? undefined : parents[seed.parent % parents.length];
      const type: TaskType = parent ? below[parent.type] : (['saga', 'epic', 'task'] as const)[seed.parent % 3]!;
      tasks.push(task(id, { type, status: seed.status, priority: seed.priority, size: seed.size, parentId: parent?.id }));
      for (const on of new Set(seed.on)) if (i > 0) depends.push(edge(id, `T${String((on % i) + 1).padStart(3, '0')}`));
      if (seed.held) claims.push(claim(id, seed.parent % 2 ? 'me' : 'other', seed.isTop ? now : stale));
    });
    return work(tasks, { depends, claims });
  });

const listAncestry = (given: OpenWork, id: string): string[] => {
  const parent = given.tasks.find((t) => t.id === id)?.parentId;
  return parent ? [id, ...listAncestry(given, parent)] : [id];
};

test('never recommends a task that waits for an open one, itself or through an ancestor', () => {
  fc.assert(
    fc.property(anyWork, (given) => {
      const offered = [
        ...rankTasks(given, options, 50).map((r) => r.taskId),
        ...selectReadyTasks(given, { ...options, caller: { agent: 'me' } }).map((t) => t.id),
      ];
      for (const id of offered) {
        const chain = listAncestry(given, id);
        expect(given.depends.filter(({ taskId }) => chain.includes(taskId))).toEqual([]);
        expect(given.tasks.filter((t) => t.parentId === id)).toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});

test('sorts the same for any order of rows, and points add up', () => {
  fc.assert(
    fc.property(anyWork, (given) => {
      const found = rankTasks(given, options, 50);
      for (const { score, reasons } of found) expect(reasons.reduce((sum, r) => sum + r.points, 0)).toBe(score);
      const reversed = {
        ...given,
        tasks: given.tasks.toReversed(),
        depends: given.depends.toReversed(),
        claims: given.claims.toReversed(),
      };
      expect(rankTasks(reversed, options, 50)).toEqual(found);
      // Small counts use another algorithm than the full sort.
      for (const count of [1, 3])
        for (const rows of [given, reversed]) expect(rankTasks(rows, options, count)).toEqual(found.slice(0, count));
      // All free tasks are recommended, and no others.
      expect(found.map(({ taskId }) => taskId).sort()).toEqual(
        listFreeTasks(given, options)
          .map(({ id }) => id)
          .sort(),
      );
      // Every recommended task can be started.
      const startable = new Set(selectReadyTasks(given, { ...options, caller: { agent: 'me' } }).map((t) => t.id));
      for (const { taskId } of found) expect(startable).toContain(taskId);
    }),
  );
});
