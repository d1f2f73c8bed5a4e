import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';

export interface TreeNode {
  id: TaskId;
  title: string;
  status: Status;
  type: TaskType;
  children?: TreeNode[];
}

interface TreeRow extends Omit<TreeNode, 'children'> {
  parentId?: TaskId | undefined;
}

/** Builds a forest; siblings keep the order of the rows. A row whose parent is not among them becomes a root. */
export function buildTree(rows: TreeRow[]): TreeNode[] {
  const nodes = new Map(rows.map(({ id, title, status, type }): [TaskId, TreeNode] => [id, { id, title, status, type }]));
  const roots: TreeNode[] = [];
  for (const { id, parentId } of rows) {
    const node = nodes.get(id)!;
    const parent = parentId ? nodes.get(parentId) : undefined;
    if (!parent) roots.push(node);
    else if (parent.children) parent.children.push(node);
    else parent.children = [node];
  }
  return roots;
}
