import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskId } from '#core/model/scalars.ts';
import { findCycle, isForwardOrder, listPrerequisites, type Milestone, type TaskLinks } from './order.ts';

/** `T002 in T001 depends T003,T004` */
function linksOf(lines: string[]): TaskLinks {
  const links: TaskLinks = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  for (const line of lines) {
    const [id = '', ...words] = line.split(' ');
    const after = (word: string): string | undefined => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
    const parent = after('in');
    if (parent) {
      links.parentOf.set(id, parent);
      links.childrenOf.set(parent, [...(links.childrenOf.get(parent) ?? []), id]);
    }
    links.dependsOf.set(id, after('depends')?.split(',') ?? []);
  }
  return links;
}

const idsOf = (lines: string[]): TaskId[] => lines.map((line) => line.split(' ')[0]!);

test.each([
  { name: 'a chain', lines: ['T001', 'T002 depends T001', 'T003 depends T002'], from: 'T003', path: undefined },
  { name: 'a diamond', lines: ['T001', 'T002 depends T001', 'T003 depends T001', 'T004 depends T002,T003'], from: 'T004', path: undefined },
  { name: 'a dependency on itself', lines: ['T001 depends T001'], from: 'T001', path: 'T001 T001' },
  { name: 'two tasks that depend on each other', lines: ['T001 depends T002', 'T002 depends T001'], from: 'T001', path: 'T001 T002 T001' },
  {
    name: 'a cycle of three',
    lines: ['T001 depends T003', 'T002 depends T001', 'T003 depends T002'],
    from: 'T001',
    path: 'T001 T003 T002 T001',
  },
  { name: 'a dependency on the parent', lines: ['T001', 'T002 in T001 depends T001'], from: 'T002', path: 'T002 T001 T002' },
  { name: 'a dependency on a child', lines: ['T001 depends T002', 'T002 in T001'], from: 'T001', path: 'T002 T001 T002' },
  {
    name: 'a dependency on a grandchild',
    lines: ['T001 depends T003', 'T002 in T001', 'T003 in T002'],
    from: 'T001',
    path: 'T003 T002 T001 T003',
  },
  { name: 'siblings in a row', lines: ['T001', 'T002 in T001', 'T003 in T001 depends T002'], from: 'T003', path: undefined },
  {
    name: 'two containers, one after the other',
    lines: ['T001', 'T002 in T001', 'T003 depends T001', 'T004 in T003 depends T002'],
    from: 'T004',
    path: undefined,
  },
  {
    name: 'two containers, each before the other',
    lines: ['T001', 'T002 in T001 depends T004', 'T003 depends T001', 'T004 in T003'],
    from: 'T002',
    path: 'T002 T004 T003 T001 T002',
  },
  { name: 'a cycle of parents', lines: ['T001 in T002', 'T002 in T001'], from: 'T001', path: 'T001 T002 T001' },
])('$name', ({ lines, from, path }) => {
  expect(findCycle([from], linksOf(lines))?.join(' ')).toBe(path);
});

test('handles a chain as long as the project', () => {
  const lines = Array.from({ length: 50_000 }, (_, i) => (i === 0 ? 'T1' : `T${i + 1} depends T${i}`));
  expect(findCycle(['T50000'], linksOf(lines))).toBeUndefined();
  const closed = findCycle(['T50000'], linksOf(['T1 depends T50000', ...lines.slice(1)]));
  expect(closed).toHaveLength(50_001);
});

/** Works everything off that can be: whether nothing is left. */
function canBeWorkedOff(lines: string[]): boolean {
  const links = linksOf(lines);
  const left = new Set<Milestone>(idsOf(lines).flatMap((id): Milestone[] => [`begin ${id}`, `finish ${id}`]));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const moment of left) if (listPrerequisites(moment, links).every((wait) => !left.has(wait))) left.delete(moment);
  }
  return left.size === 0;
}

const anyLines = fc
  .array(fc.record({ on: fc.array(fc.nat(), { maxLength: 2 }), parent: fc.option(fc.nat()) }), { minLength: 1, maxLength: 8 })
  .map((seeds) =>
    seeds.map((seed, i) => {
      const id = (n: number): TaskId => `T00${(n % seeds.length) + 1}`;
      const on = [...new Set(seed.on.map(id))];
      return `${id(i)}${seed.parent === null ? '' : ` in ${id(seed.parent)}`}${on.length ? ` depends ${on}` : ''}`;
    }),
  );

test('finds a cycle exactly if the tasks cannot be completed', () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      expect(findCycle(idsOf(lines), linksOf(lines)) === undefined).toBe(canBeWorkedOff(lines));
    }),
    { numRuns: 1000 },
  );
});

test('a cycle follows dependencies and containment and ends where it began', () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      const links = linksOf(lines);
      const path = findCycle(idsOf(lines), links);
      fc.pre(path !== undefined);
      expect(path!.at(-1)).toBe(path![0]);
      for (const [i, id] of path!.slice(0, -1).entries()) {
        const next = path![i + 1]!;
        const isLinked =
          id === next
            ? isKin(links, id, id) || links.dependsOf.get(id)?.includes(id)
            : isKin(links, id, next) || links.dependsOf.get(id)?.includes(next);
        expect(isLinked, `${id} → ${next} in ${path} of ${lines.join('; ')}`).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});

const isKin = (links: TaskLinks, a: TaskId, b: TaskId): boolean => links.parentOf.get(a) === b || links.parentOf.get(b) === a;

const toTasks = (lines: string[]): Parameters<typeof isForwardOrder>[0] => {
  const { parentOf, dependsOf } = linksOf(lines);
  return idsOf(lines).map((id) => ({ id, parentId: parentOf.get(id), depends: dependsOf.get(id) ?? [] }));
};

test.each([
  { name: 'no dependencies, a stored parent', lines: ['T002 in T001', 'T003 in T001'], isForward: true },
  { name: 'a chain below a parent', lines: ['T001', 'T002 in T001', 'T003 in T001 depends T002'], isForward: true },
  { name: 'a dependency on a container before', lines: ['T001', 'T002 in T001', 'T003 depends T001'], isForward: true },
  { name: 'a container whose last child comes later', lines: ['T001', 'T002 depends T001', 'T003 in T001 depends T002'], isForward: false },
  { name: 'a dependency on the parent', lines: ['T001', 'T002 in T001 depends T001'], isForward: false },
  { name: 'a dependency on a later task', lines: ['T001 depends T002', 'T002'], isForward: false },
  { name: 'a dependency on itself', lines: ['T001 depends T001'], isForward: false },
  { name: 'a stored dependency', lines: ['T002 depends T001'], isForward: false },
  { name: 'a stored parent and a dependency', lines: ['T002 in T001', 'T003 depends T002'], isForward: false },
  { name: 'a parent behind its child', lines: ['T001 in T002', 'T002', 'T003 depends T002'], isForward: false },
])('order of a batch: $name', ({ lines, isForward }) => {
  expect(isForwardOrder(toTasks(lines))).toBe(isForward);
});

test('a batch in a forward order has no cycle', () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      const hasDependencies = lines.some((line) => line.includes('depends'));
      if (hasDependencies && isForwardOrder(toTasks(lines))) expect(canBeWorkedOff(lines)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
