import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LayoutInput, layoutGraph, nodeSize } from '../src/views/graph/layout.ts';
import { buildLayers, countCrossings, orderLayers, separate } from '../src/views/graph/layout-rows.ts';
import { centre, fitGraph, reveal, zoom } from '../src/views/graph/viewport.ts';

/** Builds the input of a layout from lines such as `c wave 2: a b`, a task with what it depends on. */
function parseGraph(...lines: string[]): LayoutInput {
  const parsed = lines.map((line) => /^(\w+)( done)?( epic)?(?: wave (\d+))?(?: in (\w+))?(?:: (.*))?$/.exec(line)!);
  return {
    nodes: parsed.map(([, id, done, epic, wave, parentId]) => ({
      id: id!,
      isDone: done !== undefined,
      isContainer: epic !== undefined,
      ...(wave ? { wave: Number(wave) } : {}),
      ...(parentId ? { parentId } : {}),
    })),
    edges: parsed.flatMap(([, id, , , , , others]) => (others?.split(' ') ?? []).map((other): [string, string] => [id!, other])),
  };
}

/** Formats the columns as `title: tasks`, with the tasks without dependencies last. */
function formatColumns(input: LayoutInput): string[] {
  const { nodes, columns } = layoutGraph(input);
  const format = (title: string, column: number | undefined): string =>
    `${title}: ${nodes
      .filter((node) => node.column === column)
      .map(({ id }) => id)
      .sort()
      .join(' ')}`;
  return [...columns.map(({ title }, i) => format(title, i)), format('none', undefined)];
}

describe('columns', () => {
  test.each<[string, string[], string[]]>([
    ['waves', ['a wave 1', 'b wave 1', 'c wave 2: a b', 'd wave 3: c a'], ['Wave 1: a b', 'Wave 2: c', 'Wave 3: d', 'none: ']],
    ['done tasks left of the first wave', ['a done', 'b done: a', 'c wave 1: b', 'd done'], ['Done: a', 'Done: b', 'Wave 1: c', 'none: d']],
    [
      'a done task that depends on an open one',
      ['a wave 1', 'b done: a', 'c wave 2: b'],
      ['Wave 1: a', 'Wave 2: b', 'Wave 3: c', 'none: '],
    ],
    ['blocked tasks, which have no wave', ['a wave 1', 'b: a', 'c: b'], ['Wave 1: a', 'Wave 2: b', 'Wave 3: c', 'none: ']],
    ['tasks without dependencies', ['a wave 1', 'b wave 1', 'c wave 2: b'], ['Wave 1: b', 'Wave 2: c', 'none: a']],
    ['epics only with dependencies of their own', ['e epic', 'f epic', 'g epic: f'], ['Wave 1: f', 'Wave 2: g', 'none: ']],
    [
      'tasks that wait because of their epic',
      ['e epic', 'f epic: e', 'a wave 1 in e', 'b wave 2 in f'],
      ['Wave 1: a e', 'Wave 2: b f', 'none: '],
    ],
    ['a cycle of a damaged store', ['a: c', 'b: a', 'c: b', 'd: d'], ['Wave 1: b', 'Wave 2: c', 'Wave 3: a', 'none: d']],
    ['nothing', [], ['none: ']],
  ])('has %s', (_, lines, expected) => {
    expect(formatColumns(parseGraph(...lines))).toEqual(expected);
  });
});

const graphs = fc
  .record({
    size: fc.integer({ min: 1, max: 60 }),
    pairs: fc.array(fc.tuple(fc.nat(59), fc.nat(59)), { maxLength: 150 }),
    done: fc.nat(20),
  })
  .map(({ size, pairs, done }): LayoutInput => {
    const edges = new Map(
      pairs
        .map(([a, b]) => [Math.max(a, b) % size, Math.min(a, b) % size] as const)
        .filter(([a, b]) => a > b)
        .map(([a, b]) => [`${a} ${b}`, [`n${a}`, `n${b}`] as [string, string]]),
    );
    return { nodes: Array.from({ length: size }, (_, i) => ({ id: `n${i}`, isDone: i < done })), edges: [...edges.values()] };
  });

test('every graph is drawn from left to right without overlap, and always in the same way', () => {
  fc.assert(
    fc.property(graphs, (input) => {
      const layout = layoutGraph(input);
      const placeOf = new Map(layout.nodes.map((node) => [node.id, node]));
      expect([...placeOf.keys()].sort()).toEqual(input.nodes.map(({ id }) => id).sort());
      for (const [task, other] of input.edges) expect(placeOf.get(other)!.x).toBeLessThan(placeOf.get(task)!.x);
      for (const a of layout.nodes)
        for (const b of layout.nodes) if (a.id < b.id && a.x === b.x) expect(Math.abs(a.y - b.y)).toBeGreaterThanOrEqual(nodeSize.height);
      for (const { x, y } of layout.nodes) {
        expect(x >= 0 && x + nodeSize.width <= layout.width && y >= 0 && y + nodeSize.height <= layout.height).toBe(true);
      }
      for (const { task, dependsOn, points } of layout.edges) {
        const [from, to] = [placeOf.get(dependsOn)!, placeOf.get(task)!];
        expect(points.slice(0, 2)).toEqual([from.x + nodeSize.width, from.y + nodeSize.height / 2]);
        expect(points.slice(-2)).toEqual([to.x, to.y + nodeSize.height / 2]);
        const xs = points.filter((_, i) => i % 2 === 0);
        expect(xs).toEqual([...xs].sort((a, b) => a - b));
      }
      expect(layoutGraph(input)).toEqual(layout);
    }),
  );
});

test('a line over several columns crosses no task', () => {
  const { nodes, edges } = layoutGraph(parseGraph('a', 'b: a', 'c: b', 'd: c a'));
  const line = edges.find(({ task, dependsOn }) => task === 'd' && dependsOn === 'a')!;
  for (let i = 2; i + 3 < line.points.length; i += 4)
    for (const { x, y } of nodes)
      if (x === line.points[i]) expect(line.points[i + 1]! < y || line.points[i + 1]! > y + nodeSize.height).toBe(true);
});

test('sweeps remove crossings and never add any', () => {
  const crossed = buildLayers(
    new Map([
      ['a', 0],
      ['b', 0],
      ['c', 1],
      ['d', 1],
      ['e', 1],
    ]),
    [
      ['d', 'a'],
      ['c', 'b'],
      ['e', 'a'],
      ['e', 'b'],
    ],
    2,
  );
  expect(countCrossings(crossed)).toBe(2);
  orderLayers(crossed);
  expect(countCrossings(crossed)).toBe(0);
  fc.assert(
    fc.property(graphs, ({ edges }) => {
      const depth = new Map<string, number>();
      const getDepth = (id: string): number => {
        const found = depth.get(id) ?? Math.max(0, ...edges.filter(([task]) => task === id).map(([, other]) => getDepth(other) + 1));
        depth.set(id, found);
        return found;
      };
      for (const id of edges.flat()) getDepth(id);
      const layers = buildLayers(depth, edges, Math.max(-1, ...depth.values()) + 1);
      for (const column of layers.columns) column.sort((a, b) => layers.items[a]!.part - layers.items[b]!.part);
      const before = countCrossings(layers);
      orderLayers(layers);
      expect(countCrossings(layers)).toBeLessThanOrEqual(before);
    }),
  );
});

test.each([
  { wanted: [0, 100], heights: [10, 10], expected: [0, 100] },
  { wanted: [50, 50], heights: [10, 10], expected: [45, 55] },
  { wanted: [0, 50, 50, 90], heights: [20, 20, 20, 20], expected: [0, 40, 60, 90] },
  { wanted: [9, 0], heights: [10, 30], expected: [-5.5, 14.5] },
  { wanted: [], heights: [], expected: [] },
])('places $wanted with heights $heights at $expected', ({ wanted, heights, expected }) => {
  expect(separate(wanted, heights)).toEqual(expected);
});

test('1,000 tasks and 3,000 dependencies are laid out in time', () => {
  const nodes = Array.from({ length: 1000 }, (_, i) => ({ id: `n${i}`, isDone: false }));
  const edges = Array.from({ length: 3000 }, (_, i): [string, string] => {
    const task = 40 + (i % 960);
    return [`n${task}`, `n${task - 1 - ((i * 37 + (i >> 5) * 11) % Math.min(task, 90))}`];
  });
  const before = process.cpuUsage();
  expect(layoutGraph({ nodes, edges }).nodes).toHaveLength(1000);
  // CPU time, because other tests run at the same time.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1500);
});

describe('viewport', () => {
  const screen = { width: 800, height: 600 };
  test('zooming leaves the point under the pointer where it is', () => {
    const before = { left: 10, top: 20, scale: 0.5 };
    const after = zoom(before, 1.5, 300, 200);
    expect(after.scale).toBe(0.75);
    expect((300 - after.left) / after.scale).toBeCloseTo((300 - before.left) / before.scale);
    expect(zoom(before, 1e6, 0, 0).scale).toBe(2);
    expect(zoom(before, 1e-6, 0, 0).scale).toBe(0.05);
  });
  test('fit shows all of a large graph and does not enlarge a small one', () => {
    const large = fitGraph({ width: 8000, height: 2000 }, screen);
    expect(large.left + 8000 * large.scale).toBeLessThanOrEqual(screen.width);
    expect(fitGraph({ width: 100, height: 100 }, screen)).toEqual({ left: 350, top: 24, scale: 1 });
  });
  test('reveal moves only as far as needed', () => {
    const view = { left: 0, top: 0, scale: 1 };
    expect(reveal(view, { x: 300, y: 300, width: 100, height: 50 }, screen)).toBe(view);
    expect(reveal(view, { x: 790, y: -10, width: 100, height: 50 }, screen)).toEqual({ left: -114, top: 34, scale: 1 });
    expect(centre(view, { x: 0, y: 0, width: 0, height: 0 }, screen)).toEqual({ left: 400, top: 300, scale: 1 });
  });
});
