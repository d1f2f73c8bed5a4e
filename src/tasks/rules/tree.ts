import type { TaskId } from '#core/model/scalars.ts';
import type { Task } from '../model/task.ts';

type TreeRow = Pick<Task, 'id' | 'title' | 'status' | 'type' | 'parentId'>;

export interface TreeNode extends Omit<TreeRow, 'parentId'> {
  children?: TreeNode[];
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
