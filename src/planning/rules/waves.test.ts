import { array, assert, constantFrom, nat, property, record, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Priority, type Status, type TaskType, toTaskId } from '#core/model/scalars.ts';
import type { PlanTask, PlanWork } from '#tasks/model/open-work.ts';
import { computeWaves, indexOpenWaits } from './waves.ts';

/** Parses lines such as `T002 epic in T001 depends T003,T004 high blocked: reason`; `above` marks an ancestor of the root. */
function work(...lines: string[]): PlanWork {
  const plan: PlanWork = { tasks: [], ancestors: [], depends: [] };
  for (const line of lines) {
    const [head = '', blockedBy] = line.split(': ');
    const [id = '', ...words] = head.split(' ');
    const after = (word: string): string | undefined => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
    const pick = <T extends string>(all: T[], other: T): T => all.find((word) => words.includes(word)) ?? other;
    plan.tasks.push({
      id,
      title: `Task ${id}`,
      type: pick<TaskType>(['saga', 'epic', 'subtask'], 'task'),
      status: pick<Status>(['active', 'blocked'], 'pending'),
      priority: pick<Priority>(['critical', 'high', 'low'], 'medium'),
      parentId: after('in'),
      blockedBy,
    });
    for (const dependsOn of after('depends')?.split(',') ?? []) plan.depends.push({ taskId: id, dependsOn });
    if (words.includes('above')) plan.ancestors.push(id);
  }
  return plan;
}

describe('waves', () => {
  const cases: [what: string, lines: string[], expected: string[][]][] = [
    ['nothing', [], []],
    ['tasks without dependencies are the first wave', ['T001 epic', 'T002 in T001', 'T003 in T001'], [['T002', 'T003']]],
    [
      'the longest chain decides',
      ['T001', 'T002 depends T001', 'T003 depends T001,T002', 'T004 depends T001'],
      [['T001'], ['T002', 'T004'], ['T003']],
    ],
    [
      'highest priority first, then by number',
      ['T1000 high', 'T999 high', 'T003', 'T004 critical', 'T001 low'],
      [['T004', 'T999', 'T1000', 'T003', 'T001']],
    ],
    ['active tasks are planned', ['T001 active', 'T002 depends T001'], [['T001'], ['T002']]],
    [
      'only tasks without open children are planned',
      ['T001 epic', 'T002 in T001', 'T003 subtask in T002', 'T004 in T001 depends T002'],
      [['T003'], ['T004']],
    ],
    ['tasks inherit the dependencies of their container', ['T001', 'T002 depends T001', 'T003 subtask in T002'], [['T001'], ['T003']]],
    [
      'a dependency on a container is one on all tasks inside',
      ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002', 'T004 epic depends T001', 'T005 in T004'],
      [['T002'], ['T003'], ['T005']],
    ],
    ['an empty epic is not planned', ['T001 epic'], []],
    ['ancestors of the root are not planned', ['T001 saga above', 'T002 epic in T001', 'T003 in T002'], [['T003']]],
  ];
  test.each(cases)('%s', (_, lines, expected) => {
    expect(computeWaves(work(...lines)).waves).toEqual(expected);
    expect(computeWaves(work(...lines.toReversed())).waves).toEqual(expected);
  });
});

describe('blocked', () => {
  const cases: [what: string, lines: string[], expected: unknown[]][] = [
    ['its own reason', ['T001 blocked: no key'], [{ id: 'T001', reasons: [{ kind: 'stated', text: 'no key' }] }]],
    ['without a reason', ['T001 blocked'], [{ id: 'T001', reasons: [{ kind: 'stated' }] }]],
    [
      'inside a blocked container',
      ['T001 epic blocked: later', 'T002 in T001'],
      [{ id: 'T002', reasons: [{ kind: 'stated', text: 'later', via: 'T001' }] }],
    ],
    [
      'a root inside a blocked container',
      ['T001 saga above blocked: later', 'T002 epic in T001', 'T003 in T002'],
      [{ id: 'T003', reasons: [{ kind: 'stated', text: 'later', via: 'T001' }] }],
    ],
    [
      'dependents of a blocked task',
      ['T001 blocked: no key', 'T002 depends T001', 'T003 depends T002'],
      [
        { id: 'T001', reasons: [{ kind: 'stated', text: 'no key' }] },
        { id: 'T002', reasons: [{ kind: 'waits', on: 'T001' }] },
        { id: 'T003', reasons: [{ kind: 'waits', on: 'T002' }] },
      ],
    ],
    [
      'a dependency outside the root',
      ['T001 epic', 'T002 in T001 depends T009'],
      [{ id: 'T002', reasons: [{ kind: 'external', on: 'T009' }] }],
    ],
    [
      'a dependency of the container outside the root',
      ['T001 epic depends T009', 'T002 in T001'],
      [{ id: 'T002', reasons: [{ kind: 'external', on: 'T009', via: 'T001' }] }],
    ],
    [
      'a dependency of an ancestor of the root',
      ['T001 saga above depends T009', 'T002 epic in T001', 'T003 in T002'],
      [{ id: 'T003', reasons: [{ kind: 'external', on: 'T009', via: 'T001' }] }],
    ],
    [
      'a dependency on an ancestor of the root, as only a damaged store has',
      ['T001 saga above', 'T002 epic in T001', 'T003 in T002 depends T001'],
      [{ id: 'T003', reasons: [{ kind: 'external', on: 'T001' }] }],
    ],
    [
      'a dependency on a container without open tasks',
      ['T001 epic', 'T002 depends T001'],
      [{ id: 'T002', reasons: [{ kind: 'unfinished', on: 'T001' }] }],
    ],
    [
      'a dependency on a container with a blocked task',
      ['T001 epic', 'T002 in T001 blocked: no key', 'T003 in T001', 'T004 depends T001'],
      [
        { id: 'T002', reasons: [{ kind: 'stated', text: 'no key' }] },
        { id: 'T004', reasons: [{ kind: 'waits', on: 'T001' }] },
      ],
    ],
    [
      'a dependency that a wave finishes is not a reason',
      ['T001', 'T002 depends T001,T009'],
      [{ id: 'T002', reasons: [{ kind: 'external', on: 'T009' }] }],
    ],
  ];
  test.each(cases)('%s', (_, lines, expected) => {
    expect(computeWaves(work(...lines)).blocked).toEqual(expected);
  });

  test('reports the reason after any number of dependencies that waves finish', () => {
    const onTheWay = Array.from({ length: 30 }, (_, i) => toTaskId(100 + i));
    const plan = work(...onTheWay, `T001 epic depends ${onTheWay.join()},T900`, 'T002 in T001');
    expect(computeWaves(plan).blocked).toEqual([{ id: 'T002', reasons: [{ kind: 'external', on: 'T900', via: 'T001' }] }]);
  });

  test('a task inherits the first ten reasons of its container', () => {
    const outside = Array.from({ length: 30 }, (_, i) => toTaskId(100 + i));
    const [inside] = computeWaves(work(`T001 epic depends ${outside.join()}`, 'T002 in T001')).blocked;
    expect(inside?.reasons.map((reason) => 'on' in reason && reason.on)).toEqual(outside.slice(0, 10));
  });
});

test('a dependency on an ancestor of the root is external, not a cycle', () => {
  const plan = work('T001 saga above', 'T002 epic in T001', 'T003 in T002 depends T001');
  expect(computeWaves(plan)).toMatchObject({ cycles: [], externalBlockers: [{ id: 'T001', blocks: ['T003'] }] });
});

test('lists the tasks that wait for each external blocker', () => {
  const plan = work(
    'T001 saga above depends T020',
    'T002 epic in T001',
    'T003 in T002 depends T010',
    'T004 in T002 depends T003,T010,T020',
  );
  expect(computeWaves(plan)).toMatchObject({
    waves: [],
    externalBlockers: [
      { id: 'T010', blocks: ['T003', 'T004'] },
      { id: 'T020', blocks: ['T001', 'T004'] },
    ],
  });
});

describe('critical path', () => {
  const cases: [what: string, lines: string[], expected: string[]][] = [
    ['none without work', [], []],
    ['the longest chain', ['T001', 'T002 depends T001', 'T003 depends T002', 'T004'], ['T001', 'T002', 'T003']],
    ['the lowest id of equal chains', ['T001', 'T002', 'T003 depends T001,T002', 'T004 depends T002'], ['T001', 'T003']],
    [
      'through containers',
      ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002', 'T004 epic depends T001', 'T005 in T004'],
      ['T002', 'T003', 'T005'],
    ],
  ];
  test.each(cases)('%s', (_, lines, expected) => {
    expect(computeWaves(work(...lines)).criticalPath).toEqual(expected);
    expect(computeWaves(work(...lines.toReversed())).criticalPath).toEqual(expected);
  });
});

describe('cycles', () => {
  const cases: [what: string, lines: string[], cycles: string[][], blocked: string[]][] = [
    [
      'of two tasks, with a dependent',
      ['T001', 'T002 depends T003', 'T003 depends T002', 'T004 depends T003'],
      [['T002', 'T003', 'T002']],
      ['T002', 'T003', 'T004'],
    ],
    ['of one task', ['T001 depends T001'], [['T001', 'T001']], ['T001']],
    [
      'of three tasks, starting with the lowest id',
      ['T003 depends T001', 'T001 depends T002', 'T002 depends T003'],
      [['T001', 'T002', 'T003', 'T001']],
      ['T001', 'T002', 'T003'],
    ],
    [
      'two separate ones',
      ['T001 depends T002', 'T002 depends T001', 'T003 depends T004', 'T004 depends T003'],
      [
        ['T001', 'T002', 'T001'],
        ['T003', 'T004', 'T003'],
      ],
      ['T001', 'T002', 'T003', 'T004'],
    ],
    [
      'through a container',
      ['T001 epic', 'T002 in T001 depends T003', 'T003 depends T001'],
      [['T001', 'T002', 'T003', 'T001']],
      ['T002', 'T003'],
    ],
    ['of a task and its container', ['T001 epic', 'T002 in T001 depends T001'], [['T001', 'T002', 'T001']], ['T002']],
    ['of parents', ['T001 in T002', 'T002 in T001'], [['T001', 'T002', 'T001']], []],
  ];
  test.each(cases)('%s', (_, lines, cycles, blocked) => {
    const found = computeWaves(work(...lines));
    expect(found.cycles).toEqual(cycles);
    expect(found.blocked.map(({ id }) => id)).toEqual(blocked);
    expect(found.waves.flat().filter((id) => blocked.includes(id))).toEqual([]);
  });
});

test('lists the open dependencies of a task and of its containers', () => {
  const waits = indexOpenWaits(work('T001', 'T002', 'T003 epic depends T001', 'T004 in T003 depends T002,T009'));
  expect(waits('T004')).toEqual([{ id: 'T002' }, { id: 'T009' }, { id: 'T001', via: 'T003' }]);
  expect(waits('T001')).toEqual([]);
  expect(waits('T099')).toEqual([]);
});

test('plans a chain of 50,000 tasks and 30,000 tasks that wait for one epic', () => {
  const plain = (seq: number, more: Partial<PlanTask> = {}): PlanTask => ({
    id: toTaskId(seq),
    title: '',
    type: 'task',
    status: 'pending',
    priority: 'medium',
    ...more,
  });
  const chain: PlanWork = { tasks: [], ancestors: [], depends: [] };
  for (let seq = 1; seq <= 50_000; seq++) {
    chain.tasks.push(plain(seq));
    if (seq > 1) chain.depends.push({ taskId: toTaskId(seq), dependsOn: toTaskId(seq - 1) });
  }
  const found = computeWaves(chain);
  expect(found.waves).toHaveLength(50_000);
  expect(found.criticalPath).toHaveLength(50_000);
  chain.depends.push({ taskId: toTaskId(1), dependsOn: toTaskId(50_000) });
  expect(computeWaves(chain).cycles[0]).toHaveLength(50_001);

  // 30,000 tasks wait for 30,000 others: listed as pairs, that would be nine hundred million.
  const wide: PlanWork = { tasks: [plain(1, { type: 'epic' })], ancestors: [], depends: [] };
  for (let seq = 2; seq <= 30_001; seq++) {
    wide.tasks.push(plain(seq, { parentId: 'T001' }), plain(seq + 40_000));
    wide.depends.push({ taskId: toTaskId(seq + 40_000), dependsOn: 'T001' });
  }
  expect(computeWaves(wide).waves.map((wave) => wave.length)).toEqual([30_000, 30_000]);
});

/** Generates epics with tasks and subtasks. Any of them may depend on any other, or on a missing task. If `isSound`, a task depends
 *  only on earlier tasks that do not contain it. */
const createPlans = (isSound: boolean) =>
  record({
    shapes: array(
      record({
        type: constantFrom<TaskType>('epic', 'task', 'subtask'),
        status: constantFrom<Status>('pending', 'active', 'pending', 'pending', 'blocked'),
      }),
      { maxLength: 25 },
    ),
    edges: uniqueArray(record({ from: nat(30), to: nat(30) }), { maxLength: 30, selector: ({ from, to }) => `${from} ${to}` }),
  }).map(({ shapes, edges }): PlanWork => {
    const tasks: PlanTask[] = [];
    let epic: string | undefined;
    let task: string | undefined;
    shapes.forEach(({ type, status }, i) => {
      const id = toTaskId(i + 1);
      const parentId = type === 'subtask' ? task : type === 'task' ? epic : undefined;
      if (type === 'epic') [epic, task] = [id, undefined];
      if (type === 'task') task = id;
      tasks.push({ id, title: id, type, status, priority: 'medium', parentId });
    });
    const parents = new Map(tasks.map(({ id, parentId }) => [id, parentId]));
    const isAbove = (above: string, id: string): boolean => {
      const parent = parents.get(id);
      return parent !== undefined && (parent === above || isAbove(above, parent));
    };
    const depends = edges
      .filter(
        ({ from, to }) =>
          from < tasks.length && (!isSound || to >= tasks.length || (to < from && !isAbove(toTaskId(to + 1), toTaskId(from + 1)))),
      )
      .map(({ from, to }) => ({ taskId: toTaskId(from + 1), dependsOn: toTaskId(to + 1) }));
    return { tasks, ancestors: [], depends };
  });

/** Lists the work a task waits for, by a slow but simple algorithm; `undefined` stands for something that no work finishes. */
function listWaits(plan: PlanWork, id: string): (string | undefined)[] {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const listWork = (inside: string): (string | undefined)[] => {
    const task = byId.get(inside);
    if (!task) return [undefined];
    const children = plan.tasks.filter(({ parentId }) => parentId === inside);
    if (children.length > 0) return [...listWaits(plan, inside), ...children.flatMap((child) => listWork(child.id))];
    return task.type === 'epic' ? [undefined] : [inside];
  };
  const waits: (string | undefined)[] = [];
  for (let at = byId.get(id); at; at = at.parentId ? byId.get(at.parentId) : undefined) {
    if (at.status === 'blocked') waits.push(undefined);
    for (const { taskId, dependsOn } of plan.depends) if (taskId === at.id) waits.push(...listWork(dependsOn));
  }
  return waits;
}

test('puts every task into the first wave after its dependencies, or reports it as blocked', () => {
  assert(
    property(createPlans(true), (plan) => {
      const { waves, blocked, cycles, criticalPath } = computeWaves(plan);
      expect(cycles).toEqual([]);
      const waveById = new Map(waves.flatMap((wave, n) => wave.map((id): [string, number] => [id, n])));
      const stuck = new Set(blocked.map(({ id }) => id));
      const parents = new Set(plan.tasks.map(({ parentId }) => parentId));
      const work = plan.tasks.filter(({ id, type }) => type !== 'epic' && !parents.has(id)).map(({ id }) => id);
      expect([...waveById.keys(), ...stuck].sort()).toEqual(work.sort());
      expect(waves.every((wave) => wave.length > 0)).toBe(true);
      for (const id of work) {
        const waits = listWaits(plan, id);
        const isHeldUp = waits.some((on) => on === undefined || stuck.has(on));
        expect([id, stuck.has(id)]).toEqual([id, isHeldUp]);
        if (isHeldUp) continue;
        expect([id, waveById.get(id)]).toEqual([id, Math.max(-1, ...waits.map((on) => waveById.get(on!)!)) + 1]);
      }
      for (const { reasons } of blocked) expect(reasons).not.toEqual([]);
      expect(criticalPath.map((id) => waveById.get(id))).toEqual(waves.map((_, n) => n));
    }),
    { numRuns: 500 },
  );
});

test('lists each task once, and reports only real cycles', () => {
  assert(
    property(createPlans(false), (plan) => {
      const { waves, blocked, cycles } = computeWaves(plan);
      const listed = [...waves.flat(), ...blocked.map(({ id }) => id)];
      expect(new Set(listed).size).toBe(listed.length);
      const links = new Set(plan.depends.map(({ taskId, dependsOn }) => `${taskId} ${dependsOn}`));
      for (const { id, parentId } of plan.tasks) if (parentId) links.add(`${id} ${parentId}`).add(`${parentId} ${id}`);
      for (const cycle of cycles) {
        expect(cycle.at(-1)).toBe(cycle[0]);
        for (let i = 1; i < cycle.length; i++) expect(links).toContain(`${cycle[i - 1]} ${cycle[i]}`);
      }
    }),
    { numRuns: 500 },
  );
});
