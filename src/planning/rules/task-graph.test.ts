import { expect, test } from 'vitest';
import { type GraphEdge, selectGraph } from './task-graph.ts';

const nodes = ['T001', 'T002', 'T003', 'T004', 'T005', 'T010'].map((id) => ({ id }));
// T003 waits for T002, which waits for T001; T004 waits for T002; T005 waits for a task that is not there.
const edges: GraphEdge[] = [
  ['T003', 'T002'],
  ['T002', 'T001'],
  ['T004', 'T002'],
  ['T005', 'T099'],
];

test.each([
  ['everything, tasks with dependencies first', {}, ['T001', 'T002', 'T003', 'T004', 'T005', 'T010'], 3, 6],
  ['both directions from a task', { around: 'T003' }, ['T001', 'T002', 'T003'], 2, 3],
  ['both directions from the middle', { around: 'T002' }, ['T001', 'T002', 'T003', 'T004'], 3, 4],
  ['a task without dependencies', { around: 'T010' }, ['T010'], 0, 1],
  ['a limit drops edges of tasks that are cut', { limit: 2 }, ['T001', 'T002'], 1, 6],
] as const)('selects %s', (_, options, ids, edgeCount, total) => {
  const found = selectGraph([...nodes], edges, { limit: 100, ...options });
  expect(found.nodes.map(({ id }) => id)).toEqual(ids);
  expect(found.edges).toHaveLength(edgeCount);
  expect(found.total).toBe(total);
});

test('ends in a cycle', () => {
  const cycle: GraphEdge[] = [
    ['T001', 'T002'],
    ['T002', 'T001'],
  ];
  expect(selectGraph([...nodes], cycle, { around: 'T001', limit: 9 }).nodes).toHaveLength(2);
});
