import { array, assert, constantFrom, nat, property, record, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Priority, type Status, type TaskType, taskId } from '#core/model/scalars.ts';
import type { PlanTask, PlanWork } from '#tasks/model/open-work.ts';
import { openWaits, waves } from './waves.ts';

/** `T002 epic in T001 depends T003,T004 high blocked: reason`; `above` stands for what the root is inside of. */
function work(...lines: string[]): PlanWork {
  const plan: PlanWork = { tasks: [], above: [], depends: [] };
  for (const line of lines) {
    const [head = '', blockedBy] = line.split(': ');
    const [id = '', ...words] = head.split(' ');
    const after = (word: string): string | undefined => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
    const oneOf = <T extends string>(all: T[], other: T): T => all.find((one) => words.includes(one)) ?? other;
    plan.tasks.push({
      id,
      title: `Task ${id}`,
      type: oneOf<TaskType>(['saga', 'epic', 'subtask'], 'task'),
      status: oneOf<Status>(['active', 'blocked'], 'pending'),
      priority: oneOf<Priority>(['critical', 'high', 'low'], 'medium'),
      parentId: after('in'),
      blockedBy,
    });
    for (const dependsOn of after('depends')?.split(',') ?? []) plan.depends.push({ taskId: id, dependsOn });
    if (words.includes('above')) plan.above.push(id);
  }
  return plan;
}

describe('waves', () => {
  const cases: [what: string, lines: string[], expected: string[][]][] = [
    ['nothing', [], []],
    ['what waits for nothing is the first wave', ['T001 epic', 'T002 in T001', 'T003 in T001'], [['T002', 'T003']]],
    [
      'the longest way decides',
      ['T001', 'T002 depends T001', 'T003 depends T001,T002', 'T004 depends T001'],
      [['T001'], ['T002', 'T004'], ['T003']],
    ],
    [
      'the most urgent first, then by number',
      ['T1000 high', 'T999 high', 'T003', 'T004 critical', 'T001 low'],
      [['T004', 'T999', 'T1000', 'T003', 'T001']],
    ],
    ['an active task is still to be done', ['T001 active', 'T002 depends T001'], [['T001'], ['T002']]],
    [
      'only what has nothing open inside is work',
      ['T001 epic', 'T002 in T001', 'T003 subtask in T002', 'T004 in T001 depends T002'],
      [['T003'], ['T004']],
    ],
    ['what a container waits for, its work waits for', ['T001', 'T002 depends T001', 'T003 subtask in T002'], [['T001'], ['T003']]],
    [
      'who waits for a container waits for all its work',
      ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002', 'T004 epic depends T001', 'T005 in T004'],
      [['T002'], ['T003'], ['T005']],
    ],
    ['an epic with nothing inside is no work', ['T001 epic'], []],
    ['what is outside the root is not planned', ['T001 saga above', 'T002 epic in T001', 'T003 in T002'], [['T003']]],
  ];
  test.each(cases)('%s', (_, lines, expected) => {
    expect(waves(work(...lines)).waves).toEqual(expected);
    expect(waves(work(...lines.toReversed())).waves).toEqual(expected);
  });
});

describe('blocked', () => {
  const cases: [what: string, lines: string[], expected: unknown[]][] = [
    ['its own reason', ['T001 blocked: no key'], [{ id: 'T001', reasons: [{ kind: 'stated', text: 'no key' }] }]],
    ['without a reason', ['T001 blocked'], [{ id: 'T001', reasons: [{ kind: 'stated' }] }]],
    [
      'inside what is blocked',
      ['T001 epic blocked: later', 'T002 in T001'],
      [{ id: 'T002', reasons: [{ kind: 'stated', text: 'later', via: 'T001' }] }],
    ],
    [
      'the root is inside of what is blocked',
      ['T001 saga above blocked: later', 'T002 epic in T001', 'T003 in T002'],
      [{ id: 'T003', reasons: [{ kind: 'stated', text: 'later', via: 'T001' }] }],
    ],
    [
      'what waits for it',
      ['T001 blocked: no key', 'T002 depends T001', 'T003 depends T002'],
      [
        { id: 'T001', reasons: [{ kind: 'stated', text: 'no key' }] },
        { id: 'T002', reasons: [{ kind: 'waits', on: 'T001' }] },
        { id: 'T003', reasons: [{ kind: 'waits', on: 'T002' }] },
      ],
    ],
    ['something outside', ['T001 epic', 'T002 in T001 depends T009'], [{ id: 'T002', reasons: [{ kind: 'external', on: 'T009' }] }]],
    [
      'something outside, through a container',
      ['T001 epic depends T009', 'T002 in T001'],
      [{ id: 'T002', reasons: [{ kind: 'external', on: 'T009', via: 'T001' }] }],
    ],
    [
      'something outside, through what the root is inside of',
      ['T001 saga above depends T009', 'T002 epic in T001', 'T003 in T002'],
      [{ id: 'T003', reasons: [{ kind: 'external', on: 'T009', via: 'T001' }] }],
    ],
    [
      'what the root is inside of, as only a damaged store has it',
      ['T001 saga above', 'T002 epic in T001', 'T003 in T002 depends T001'],
      [{ id: 'T003', reasons: [{ kind: 'external', on: 'T001' }] }],
    ],
    [
      'a container that nothing is left of but itself',
      ['T001 epic', 'T002 depends T001'],
      [{ id: 'T002', reasons: [{ kind: 'unfinished', on: 'T001' }] }],
    ],
    [
      'a container with something blocked inside',
      ['T001 epic', 'T002 in T001 blocked: no key', 'T003 in T001', 'T004 depends T001'],
      [
        { id: 'T002', reasons: [{ kind: 'stated', text: 'no key' }] },
        { id: 'T004', reasons: [{ kind: 'waits', on: 'T001' }] },
      ],
    ],
    [
      'only what stands in the way is a reason',
      ['T001', 'T002 depends T001,T009'],
      [{ id: 'T002', reasons: [{ kind: 'external', on: 'T009' }] }],
    ],
  ];
  test.each(cases)('%s', (_, lines, expected) => {
    expect(waves(work(...lines)).blocked).toEqual(expected);
  });

  test('a reason is named, however many things stand before it that are on their way', () => {
    const onTheWay = Array.from({ length: 30 }, (_, i) => taskId(100 + i));
    const plan = work(...onTheWay, `T001 epic depends ${onTheWay.join()},T900`, 'T002 in T001');
    expect(waves(plan).blocked).toEqual([{ id: 'T002', reasons: [{ kind: 'external', on: 'T900', via: 'T001' }] }]);
  });

  test('a container that waits for many gives each task inside the first ten', () => {
    const outside = Array.from({ length: 30 }, (_, i) => taskId(100 + i));
    const [inside] = waves(work(`T001 epic depends ${outside.join()}`, 'T002 in T001')).blocked;
    expect(inside?.reasons.map((reason) => 'on' in reason && reason.on)).toEqual(outside.slice(0, 10));
  });
});

test('what the root is inside of is outside: no circle of the plan', () => {
  const plan = work('T001 saga above', 'T002 epic in T001', 'T003 in T002 depends T001');
  expect(waves(plan)).toMatchObject({ cycles: [], externalBlockers: [{ id: 'T001', blocks: ['T003'] }] });
});

test('external blockers say who waits for them', () => {
  const plan = work(
    'T001 saga above depends T020',
    'T002 epic in T001',
    'T003 in T002 depends T010',
    'T004 in T002 depends T003,T010,T020',
  );
  expect(waves(plan)).toMatchObject({
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
    ['of equal ones the lower number', ['T001', 'T002', 'T003 depends T001,T002', 'T004 depends T002'], ['T001', 'T003']],
    [
      'through containers',
      ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002', 'T004 epic depends T001', 'T005 in T004'],
      ['T002', 'T003', 'T005'],
    ],
  ];
  test.each(cases)('%s', (_, lines, expected) => {
    expect(waves(work(...lines)).criticalPath).toEqual(expected);
    expect(waves(work(...lines.toReversed())).criticalPath).toEqual(expected);
  });
});

describe('cycles', () => {
  const cases: [what: string, lines: string[], cycles: string[][], blocked: string[]][] = [
    [
      'of two, and what comes after them',
      ['T001', 'T002 depends T003', 'T003 depends T002', 'T004 depends T003'],
      [['T002', 'T003', 'T002']],
      ['T002', 'T003', 'T004'],
    ],
    ['of one', ['T001 depends T001'], [['T001', 'T001']], ['T001']],
    [
      'of three, from its lowest number, each waiting for the next',
      ['T003 depends T001', 'T001 depends T002', 'T002 depends T003'],
      [['T001', 'T002', 'T003', 'T001']],
      ['T001', 'T002', 'T003'],
    ],
    [
      'two apart',
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
    ['with what it is inside of', ['T001 epic', 'T002 in T001 depends T001'], [['T001', 'T002', 'T001']], ['T002']],
    ['of parents', ['T001 in T002', 'T002 in T001'], [['T001', 'T002', 'T001']], []],
  ];
  test.each(cases)('%s', (_, lines, cycles, blocked) => {
    const found = waves(work(...lines));
    expect(found.cycles).toEqual(cycles);
    expect(found.blocked.map(({ id }) => id)).toEqual(blocked);
    expect(found.waves.flat().filter((id) => blocked.includes(id))).toEqual([]);
  });
});

test('what a task waits for, of its own and through what contains it', () => {
  const waits = openWaits(work('T001', 'T002', 'T003 epic depends T001', 'T004 in T003 depends T002,T009'));
  expect(waits('T004')).toEqual([{ id: 'T002' }, { id: 'T009' }, { id: 'T001', via: 'T003' }]);
  expect(waits('T001')).toEqual([]);
  expect(waits('T099')).toEqual([]);
});

test('a chain of 50,000 and 30,000 that wait for one epic are no trouble', () => {
  const plain = (seq: number, more: Partial<PlanTask> = {}): PlanTask => ({
    id: taskId(seq),
    title: '',
    type: 'task',
    status: 'pending',
    priority: 'medium',
    ...more,
  });
  const chain: PlanWork = { tasks: [], above: [], depends: [] };
  for (let seq = 1; seq <= 50_000; seq++) {
    chain.tasks.push(plain(seq));
    if (seq > 1) chain.depends.push({ taskId: taskId(seq), dependsOn: taskId(seq - 1) });
  }
  const found = waves(chain);
  expect(found.waves).toHaveLength(50_000);
  expect(found.criticalPath).toHaveLength(50_000);
  chain.depends.push({ taskId: taskId(1), dependsOn: taskId(50_000) });
  expect(waves(chain).cycles[0]).toHaveLength(50_001);

  // Each of the 30,000 waits for each of the 30,000: nine hundred million pairs, if it were told in pairs.
  const wide: PlanWork = { tasks: [plain(1, { type: 'epic' })], above: [], depends: [] };
  for (let seq = 2; seq <= 30_001; seq++) {
    wide.tasks.push(plain(seq, { parentId: 'T001' }), plain(seq + 40_000));
    wide.depends.push({ taskId: taskId(seq + 40_000), dependsOn: 'T001' });
  }
  expect(waves(wide).waves.map((wave) => wave.length)).toEqual([30_000, 30_000]);
});

/** Epics with tasks, some of which have subtasks; any may wait for any or for what is not there. Where it is sound, only for what comes
 *  before and does not contain it. */
const plans = (isSound: boolean) =>
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
      const id = taskId(i + 1);
      const parentId = type === 'subtask' ? task : type === 'task' ? epic : undefined;
      if (type === 'epic') [epic, task] = [id, undefined];
      if (type === 'task') task = id;
      tasks.push({ id, title: id, type, status, priority: 'medium', parentId });
    });
    const parentOf = new Map(tasks.map(({ id, parentId }) => [id, parentId]));
    const isAbove = (above: string, id: string): boolean => {
      const parent = parentOf.get(id);
      return parent !== undefined && (parent === above || isAbove(above, parent));
    };
    const depends = edges
      .filter(
        ({ from, to }) =>
          from < tasks.length && (!isSound || to >= tasks.length || (to < from && !isAbove(taskId(to + 1), taskId(from + 1)))),
      )
      .map(({ from, to }) => ({ taskId: taskId(from + 1), dependsOn: taskId(to + 1) }));
    return { tasks, above: [], depends };
  });

/** What a task waits for, told the slow way: work, or `undefined` for what no work will bring about. */
function slowWaits(plan: PlanWork, id: string): (string | undefined)[] {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const workIn = (inside: string): (string | undefined)[] => {
    const task = byId.get(inside);
    if (!task) return [undefined];
    const children = plan.tasks.filter(({ parentId }) => parentId === inside);
    if (children.length > 0) return [...slowWaits(plan, inside), ...children.flatMap((child) => workIn(child.id))];
    return task.type === 'epic' ? [undefined] : [inside];
  };
  const waits: (string | undefined)[] = [];
  for (let at = byId.get(id); at; at = at.parentId ? byId.get(at.parentId) : undefined) {
    if (at.status === 'blocked') waits.push(undefined);
    for (const { taskId, dependsOn } of plan.depends) if (taskId === at.id) waits.push(...workIn(dependsOn));
  }
  return waits;
}

test('every task comes after all it waits for, in the first wave it can, and everything is somewhere', () => {
  assert(
    property(plans(true), (plan) => {
      const { waves: found, blocked, cycles, criticalPath } = waves(plan);
      expect(cycles).toEqual([]);
      const waveOf = new Map(found.flatMap((wave, n) => wave.map((id): [string, number] => [id, n])));
      const stuck = new Set(blocked.map(({ id }) => id));
      const parents = new Set(plan.tasks.map(({ parentId }) => parentId));
      const work = plan.tasks.filter(({ id, type }) => type !== 'epic' && !parents.has(id)).map(({ id }) => id);
      expect([...waveOf.keys(), ...stuck].sort()).toEqual(work.sort());
      expect(found.every((wave) => wave.length > 0)).toBe(true);
      for (const id of work) {
        const waits = slowWaits(plan, id);
        const isHeldUp = waits.some((on) => on === undefined || stuck.has(on));
        expect([id, stuck.has(id)]).toEqual([id, isHeldUp]);
        if (isHeldUp) continue;
        // In the first wave after all of them: later than each, and next to the last.
        expect([id, waveOf.get(id)]).toEqual([id, Math.max(-1, ...waits.map((on) => waveOf.get(on!)!)) + 1]);
      }
      for (const { reasons } of blocked) expect(reasons).not.toEqual([]);
      expect(criticalPath.map((id) => waveOf.get(id))).toEqual(found.map((_, n) => n));
    }),
    { numRuns: 500 },
  );
});

test('circles or not, each task of a plan is told once, and each circle is one', () => {
  assert(
    property(plans(false), (plan) => {
      const { waves: found, blocked, cycles } = waves(plan);
      const told = [...found.flat(), ...blocked.map(({ id }) => id)];
      expect(new Set(told).size).toBe(told.length);
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
