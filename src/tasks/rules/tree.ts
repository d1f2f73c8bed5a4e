import type { TaskId } from '#core/model/scalars.ts';
import type { Task } from '../model/task.ts';

export interface TreeRow extends Pick<Task, 'id' | 'title' | 'status' | 'type' | 'parentId'>, Partial<Pick<Task, 'priority'>> {
  /** The progress of a saga or an epic. */
  progress?: { done: number; total: number; percent: number };
}

export interface TreeNode extends Omit<TreeRow, 'parentId'> {
  children?: TreeNode[];
}

/** Builds a forest; siblings keep the order of the rows. A row whose parent is not among them becomes a root. */
export function buildTree(rows: TreeRow[]): TreeNode[] {
  const nodes = new Map(rows.map(({ parentId: _, ...node }): [TaskId, TreeNode] => [node.id, node]));
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

/** Cuts a forest to its first `limit` nodes in the order in which they are printed, so that no node is without its parent. */
export function limitTree(nodes: TreeNode[], limit: number): TreeNode[] {
  let left = limit;
  const cut = (siblings: TreeNode[]): TreeNode[] => {
    const shown: TreeNode[] = [];
    for (const { children, ...node } of siblings) {
      if (left <= 0) break;
      left--;
      const below = children ? cut(children) : [];
      shown.push(below.length > 0 ? { ...node, children: below } : node);
    }
    return shown;
  };
  return cut(nodes);
}
