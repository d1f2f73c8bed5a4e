import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Status, TaskId } from '#core/model/scalars.ts';
import { computeDeps, type TaskGraph } from './deps.ts';
import { findCycle } from './order.ts';

/** `T002 in T001 depends T003,T004 done` */
function buildGraph(lines: string[]): TaskGraph {
  const graph: TaskGraph = {
    parentOf: new Map(),
    dependsOf: new Map(),
    childrenOf: new Map(),
    dependentsOf: new Map(),
    statusOf: new Map(),
  };
  const add = (map: Map<TaskId, TaskId[]>, key: TaskId, value: TaskId) => map.set(key, [...(map.get(key) ?? []), value]);
  for (const line of lines) {
    const [id = '', ...words] = line.split(' ');
    const after = (word: string): string | undefined => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
    graph.statusOf.set(id, (['done', 'active', 'blocked'] as Status[]).find((status) => words.includes(status)) ?? 'pending');
    const parent = after('in');
    if (parent) {
      graph.parentOf.set(id, parent);
      if (graph.statusOf.get(id) !== 'done') add(graph.childrenOf, parent, id);
    }
    graph.dependsOf.set(id, after('depends')?.split(',') ?? []);
    for (const on of graph.dependsOf.get(id)!) add(graph.dependentsOf, on, id);
  }
  return graph;
}

const summarize = (task: TaskId, lines: string[]) => {
  const { upstream, downstream, blockers, criticalPath } = computeDeps(task, buildGraph(lines));
  const linked = (all: { id: TaskId; via?: TaskId }[]) => all.map(({ id, via }) => (via ? `${id} via ${via}` : id)).join(', ');
  return {
    up: linked(upstream),
    down: linked(downstream),
    blockers: blockers.map(({ id, isRoot }) => (isRoot ? `${id} root` : id)).join(', '),
    path: criticalPath.join(' '),
  };
};

test.each([
  { name: 'a task without links', task: 'T001', lines: ['T001'], up: '', down: '', blockers: '', path: 'T001' },
  {
    name: 'a chain, nearest first',
    task: 'T003',
    lines: ['T001', 'T002 depends T001', 'T003 depends T002', 'T004 depends T003', 'T005 depends T004'],
    up: 'T002, T001',
    down: 'T004, T005',
    blockers: 'T001 root, T002',
    path: 'T001 T002 T003 T004 T005',
  },
  {
    name: 'done tasks do not block and are not on the path',
    task: 'T003',
    lines: ['T001 done', 'T002 depends T001 done', 'T003 depends T002', 'T004 depends T003'],
    up: 'T002, T001',
    down: 'T004',
    blockers: '',
    path: 'T003 T004',
  },
  {
    name: 'a done task has no path',
    task: 'T001',
    lines: ['T001 done', 'T002 depends T001'],
    up: '',
    down: 'T002',
    blockers: '',
    path: '',
  },
  {
    name: 'a diamond uses the longer side',
    task: 'T005',
    lines: ['T001', 'T002 depends T001', 'T003 depends T002', 'T004 depends T001', 'T005 depends T003,T004'],
    up: 'T003, T004, T001, T002',
    down: '',
    blockers: 'T001 root, T002, T003, T004',
    path: 'T001 T002 T003 T005',
  },
  {
    name: 'equal sides use the lower id',
    task: 'T004',
    lines: ['T001', 'T002', 'T004 depends T002,T001', 'T005 depends T004', 'T006 depends T004'],
    up: 'T001, T002',
    down: 'T005, T006',
    blockers: 'T001 root, T002 root',
    path: 'T001 T004 T005',
  },
  {
    name: 'children inherit the dependencies of their container',
    task: 'T003',
    lines: ['T001', 'T002 depends T001', 'T003 in T002'],
    up: 'T001 via T002',
    down: '',
    blockers: 'T001 root',
    path: 'T001 T003',
  },
  {
    name: 'children of a dependent wait too',
    task: 'T001',
    lines: ['T001', 'T002 depends T001', 'T003 in T002', 'T004 depends T003'],
    up: '',
    down: 'T002, T003 via T002, T004',
    blockers: '',
    path: 'T001 T003 T004',
  },
  {
    name: 'open children of a dependency block, as root blockers',
    task: 'T004',
    lines: ['T001', 'T002 in T001', 'T003 in T001 done', 'T004 depends T001'],
    up: 'T001, T002 via T001',
    down: '',
    blockers: 'T002 root, T001',
    path: 'T002 T004',
  },
  {
    name: 'dependents of a container wait for its children',
    task: 'T002',
    lines: ['T001', 'T002 in T001', 'T003 in T001', 'T004 depends T001'],
    up: '',
    down: 'T004 via T001',
    blockers: '',
    path: 'T002 T004',
  },
])('$name', ({ task, lines, up, down, blockers, path }) => {
  expect(summarize(task, lines)).toEqual({ up, down, blockers, path });
});

test('handles a chain of 20,000 tasks', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) =>
    i === 0 ? 'T001' : `T${String(i + 1).padStart(3, '0')} depends T${String(i).padStart(3, '0')}`,
  );
  const { upstream, criticalPath, blockers } = computeDeps('T20000', buildGraph(lines));
  expect(upstream).toHaveLength(19_999);
  expect(criticalPath).toHaveLength(20_000);
  expect(blockers.filter((b) => b.isRoot)).toEqual([{ id: 'T001', isRoot: true }]);
});

/** The first few are done; nothing open is inside them. */
const anyGraph = fc
  .record({
    seeds: fc.array(fc.record({ on: fc.array(fc.nat(), { maxLength: 3 }), parent: fc.option(fc.nat()) }), { minLength: 1, maxLength: 14 }),
    done: fc.nat({ max: 6 }),
  })
  .map(({ seeds, done }) =>
    seeds.map((seed, i) => {
      const id = (n: number): string => `T${String(n + 1).padStart(3, '0')}`;
      const on = i > 0 ? [...new Set(seed.on.map((n) => id(n % i)))] : [];
      const parent = i % 3 === 2 && seed.parent !== null ? seed.parent % i : undefined;
      const isInside = parent !== undefined && parent < done === i < done;
      return `${id(i)}${isInside ? ` in ${id(parent)}` : ''}${on.length ? ` depends ${on}` : ''}${i < done ? ' done' : ''}`;
    }),
  );

test('upstream and downstream mirror each other, and the critical path follows them', () => {
  fc.assert(
    fc.property(anyGraph, (lines) => {
      const graph = buildGraph(lines);
      const ids = [...graph.statusOf.keys()];
      fc.pre(findCycle(ids, graph) === undefined);
      const isOpen = (id: TaskId): boolean => graph.statusOf.get(id) !== 'done';
      const all = new Map(ids.map((id) => [id, computeDeps(id, graph)]));
      for (const id of ids) {
        const { upstream, downstream, blockers, criticalPath } = all.get(id)!;
        // Done children are left out of the graph, so the two views may differ for done tasks.
        if (isOpen(id)) {
          for (const { id: other } of upstream) if (isOpen(other)) expect(all.get(other)!.downstream.map((d) => d.id)).toContain(id);
          for (const { id: other } of downstream) if (isOpen(other)) expect(all.get(other)!.upstream.map((d) => d.id)).toContain(id);
        }
        expect(new Set(upstream.map((u) => u.id)).size).toBe(upstream.length);
        if (blockers.length > 0) expect(blockers[0]!.isRoot).toBe(true);
        if (isOpen(id)) expect(criticalPath).toContain(id);
        for (const [i, step] of criticalPath.entries()) {
          expect(graph.statusOf.get(step)).not.toBe('done');
          if (i > 0) expect(all.get(step)!.upstream.map((u) => u.id)).toContain(criticalPath[i - 1]);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['two tasks that wait for each other', 'T001', ['T001 depends T002', 'T002 depends T001'], 'T002 T001 T002'],
  ['a cycle that does not contain the task', 'T001', ['T001 depends T002', 'T002 depends T003', 'T003 depends T002'], 'T003 T002 T001'],
])('the critical path of a damaged store ends: %s', (_, task, lines, path) => {
  expect(summarize(task, lines).path).toBe(path);
});
