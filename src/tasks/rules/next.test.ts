import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Claim } from '#core/model/audit.ts';
import type { Priority, Size, Status, TaskType } from '#core/model/scalars.ts';
import type { OpenWork } from '../model/open-work.ts';
import { ready, recommend } from './next.ts';

type Task = OpenWork['tasks'][number];
const now = '2026-06-01T12:00:00.000Z';
const asked = { now, ttlMinutes: 60 };

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  type: 'task',
  status: 'pending',
  priority: 'medium',
  ...more,
});
const claim = (taskId: string, agent: string, renewedAt = now): Claim => ({ taskId, agent, claimedAt: renewedAt, renewedAt });
const work = (tasks: Task[], more: Partial<OpenWork> = {}): OpenWork => ({
  tasks,
  depends: [],
  begunParents: new Set(),
  claims: [],
  ...more,
});
const edge = (taskId: string, dependsOn: string) => ({ taskId, dependsOn });

test.each([
  {
    name: 'more urgent first',
    given: work([task('T001'), task('T002', { priority: 'critical' }), task('T003', { priority: 'low' })]),
    scores: ['T002 400', 'T001 200', 'T003 100'],
  },
  {
    name: 'each open dependent counts',
    given: work([task('T001'), task('T002'), task('T003', { status: 'blocked' }), task('T004', { status: 'blocked' })], {
      depends: [edge('T003', 'T002'), edge('T004', 'T002')],
    }),
    scores: ['T002 250', 'T001 200'],
  },
  {
    name: 'dependents count for 150 at most',
    given: work([task('T001'), ...Array.from({ length: 8 }, (_, i) => task(`T01${i}`, { status: 'blocked' }))], {
      depends: Array.from({ length: 8 }, (_, i) => edge(`T01${i}`, 'T001')),
    }),
    scores: ['T001 350'],
  },
  {
    name: 'a begun sibling',
    given: work([task('T001', { type: 'epic' }), task('T002', { parentId: 'T001' }), task('T003')], { begunParents: new Set(['T001']) }),
    scores: ['T002 250', 'T003 200'],
  },
  {
    name: 'small before medium before large and none',
    given: work([task('T001'), task('T002', { size: 'large' }), task('T003', { size: 'medium' }), task('T004', { size: 'small' })]),
    scores: ['T004 210', 'T003 205', 'T001 200', 'T002 200'],
  },
  { name: 'ties by number, not by spelling', given: work([task('T1000'), task('T999')]), scores: ['T999 200', 'T1000 200'] },
])('$name', ({ given, scores }) => {
  expect(recommend(given, asked, 50).map((r) => `${r.taskId} ${r.score}`)).toEqual(scores);
});

test('the phase counts when the caller has one', () => {
  const given = work([task('T001', { phase: 'setup' }), task('T002', { phase: 'core' })]);
  expect(recommend(given, { ...asked, phase: 'core' }, 50).map((r) => `${r.taskId} ${r.score}`)).toEqual(['T002 220', 'T001 200']);
});

test('every term is listed with its points', () => {
  const given = work(
    [
      task('T001', { type: 'epic' }),
      task('T002', { parentId: 'T001', priority: 'high', size: 'small', phase: 'core' }),
      task('T003', { status: 'blocked' }),
    ],
    {
      depends: [edge('T003', 'T002')],
      begunParents: new Set(['T001']),
    },
  );
  expect(recommend(given, { ...asked, phase: 'core' }, 50)[0]).toEqual({
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

test.each([
  { name: 'what is active', given: work([task('T001', { status: 'active' })]), next: [], ready: ['T001'] },
  { name: 'what is blocked', given: work([task('T001', { status: 'blocked' })]), next: [], ready: [] },
  {
    name: 'what is inside something blocked',
    given: work([task('T001', { type: 'epic', status: 'blocked' }), task('T002', { parentId: 'T001' })]),
    next: [],
    ready: [],
  },
  { name: 'sagas and epics', given: work([task('T001', { type: 'saga' }), task('T002', { type: 'epic' })]), next: [], ready: [] },
  {
    name: 'what has open children',
    given: work([task('T001'), task('T002', { type: 'subtask', parentId: 'T001' })]),
    next: ['T002'],
    ready: ['T002'],
  },
  {
    name: 'what depends on something open',
    given: work([task('T001'), task('T002')], { depends: [edge('T002', 'T001')] }),
    next: ['T001'],
    ready: ['T001'],
  },
  {
    name: 'what is inside something that waits',
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
    name: 'what another holds',
    given: work([task('T001'), task('T002', { status: 'active' })], { claims: [claim('T001', 'other'), claim('T002', 'other')] }),
    next: [],
    ready: [],
  },
  {
    name: 'what another held too long ago',
    given: work([task('T001'), task('T002', { status: 'active' })], {
      claims: [claim('T001', 'other', stale), claim('T002', 'other', stale)],
    }),
    next: ['T001'],
    ready: ['T001', 'T002'],
  },
  {
    name: 'what the caller holds',
    given: work([task('T001', { status: 'active' })], { claims: [claim('T001', 'me')] }),
    next: [],
    ready: ['T001'],
  },
])('$name', ({ given, next, ready: expected }) => {
  expect(recommend(given, asked, 50).map((r) => r.taskId)).toEqual(next);
  expect(ready(given, { ...asked, caller: { agent: 'me' } }).map((t) => t.id)).toEqual(expected);
});

test('the most urgent is ready first, then by id', () => {
  const given = work([task('T010'), task('T002', { priority: 'low' }), task('T009', { priority: 'critical' }), task('T003')]);
  expect(ready(given, { ...asked, caller: { agent: 'me' } }).map((t) => t.id)).toEqual(['T009', 'T003', 'T010', 'T002']);
});

test.each([
  { within: 'T001', found: ['T003', 'T004'] },
  { within: 'T002', found: ['T003', 'T004'] },
  { within: 'T003', found: ['T003'] },
  { within: 'T005', found: ['T006'] },
  { within: 'T007', found: ['T008'] },
])('within $within', ({ within, found }) => {
  const given = work([
    task('T001', { type: 'saga' }),
    task('T002', { type: 'epic', parentId: 'T001' }),
    task('T003', { parentId: 'T002' }),
    task('T004', { parentId: 'T002' }),
    task('T005'),
    task('T006', { type: 'subtask', parentId: 'T005' }),
    // Its parent is done, and so not among what is open.
    task('T008', { type: 'subtask', parentId: 'T007' }),
  ]);
  expect(recommend(given, { ...asked, within }, 50).map((r) => r.taskId)).toEqual(found);
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
      size: fc.constantFrom<Size | undefined>('small', 'medium', 'large', undefined),
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

const chainOf = (given: OpenWork, id: string): string[] => {
  const parent = given.tasks.find((t) => t.id === id)?.parentId;
  return parent ? [id, ...chainOf(given, parent)] : [id];
};

test('nothing is recommended that waits for an open task, itself or through what it is inside of', () => {
  fc.assert(
    fc.property(anyWork, (given) => {
      const offered = [
        ...recommend(given, asked, 50).map((r) => r.taskId),
        ...ready(given, { ...asked, caller: { agent: 'me' } }).map((t) => t.id),
      ];
      for (const id of offered) {
        const chain = chainOf(given, id);
        expect(given.depends.filter(({ taskId }) => chain.includes(taskId))).toEqual([]);
        expect(given.tasks.filter((t) => t.parentId === id)).toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});

test('the order is total, the points add up, and the order of the rows does not matter', () => {
  fc.assert(
    fc.property(anyWork, (given) => {
      const found = recommend(given, asked, 50);
      // Whether few are chosen or all are sorted, the best are the same.
      for (const count of [1, 3]) expect(recommend(given, asked, count)).toEqual(found.slice(0, count));
      for (const { score, reasons } of found) expect(reasons.reduce((sum, r) => sum + r.points, 0)).toBe(score);
      const reversed = {
        ...given,
        tasks: given.tasks.toReversed(),
        depends: given.depends.toReversed(),
        claims: given.claims.toReversed(),
      };
      expect(recommend(reversed, asked, 50)).toEqual(found);
      // What is recommended may be started.
      const startable = new Set(ready(given, { ...asked, caller: { agent: 'me' } }).map((t) => t.id));
      for (const { taskId } of found) expect(startable).toContain(taskId);
    }),
  );
});
