import { expect, test } from 'vitest';
import { buildTree, limitTree, type TreeNode } from './tree.ts';

const row = (id: string, parentId?: string) => ({ id, title: id, status: 'pending' as const, type: 'task' as const, parentId });
const shape = (nodes: TreeNode[]): unknown[] => nodes.map((node) => (node.children ? [node.id, ...shape(node.children)] : node.id));

test.each([
  { name: 'no rows', rows: [], tree: [] },
  { name: 'roots in order', rows: [row('T001'), row('T002')], tree: ['T001', 'T002'] },
  {
    name: 'children below their parents, in order',
    rows: [row('T001'), row('T002', 'T001'), row('T003', 'T002'), row('T004', 'T001')],
    tree: [['T001', ['T002', 'T003'], 'T004']],
  },
  { name: 'a child with a lower id than its parent', rows: [row('T001', 'T002'), row('T002')], tree: [['T002', 'T001']] },
  { name: 'a parent that is missing in the rows', rows: [row('T002', 'T001')], tree: ['T002'] },
])('$name', ({ rows, tree }) => {
  expect(shape(buildTree(rows))).toEqual(tree);
});

test('a limited tree has the first nodes in printed order, each with its parents', () => {
  const tree = buildTree([
    { id: 'T001', title: 'A', status: 'pending', type: 'epic' },
    { id: 'T002', title: 'B', status: 'pending', type: 'task', parentId: 'T001' },
    { id: 'T003', title: 'C', status: 'pending', type: 'task', parentId: 'T001' },
    { id: 'T004', title: 'D', status: 'pending', type: 'epic' },
  ]);
  const listIds = (limit: number): string =>
    JSON.stringify(limitTree(tree, limit))
      .replace(/[^T0-9]+/g, ' ')
      .trim();
  expect([1, 2, 3, 4, 9].map(listIds)).toEqual(['T001', 'T001 T002', 'T001 T002 T003', 'T001 T002 T003 T004', 'T001 T002 T003 T004']);
});
