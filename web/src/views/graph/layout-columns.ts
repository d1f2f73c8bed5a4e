import type { LayoutInput, LayoutNode } from './layout.ts';

interface ColumnPlan {
  columnOf: Map<string, number>;
  /** The title of each column from left to right. */
  titles: string[];
}

/** Gives each task its column: done tasks on the left, then one column for each wave. A task is always right of what it depends on, also if
 *  it has no wave because it is blocked. Edges that close a cycle, which only a damaged store has, are ignored. */
export function assignColumns(nodes: LayoutNode[], edges: LayoutInput['edges']): ColumnPlan {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const dependsOn = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const [task, other] of edges) if (byId.has(other)) dependsOn.get(task)?.push(other);
  const { order, acyclic } = sortByDependency(nodes, dependsOn);

  const isEarly = new Map<string, boolean>();
  const columnOf = new Map<string, number>();
  for (const id of order) {
    const { isDone, wave = 1 } = byId.get(id)!;
    const others = acyclic.get(id)!;
    isEarly.set(id, isDone && others.every((other) => isEarly.get(other)));
    if (!isEarly.get(id)) columnOf.set(id, Math.max(wave - 1, ...others.map((other) => (columnOf.get(other) ?? -1) + 1)));
  }
  // Done tasks end directly left of the first wave.
  for (const id of [...order].reverse()) if (isEarly.get(id) && !columnOf.has(id)) columnOf.set(id, -1);
  for (const id of [...order].reverse()) {
    if (!isEarly.get(id)) continue;
    for (const other of acyclic.get(id)!) columnOf.set(other, Math.min(columnOf.get(other)!, columnOf.get(id)! - 1));
  }

  const used = [...new Set(columnOf.values())].sort((a, b) => a - b);
  const places = new Map(used.map((column, i) => [column, i]));
  return {
    columnOf: new Map([...columnOf].map(([id, column]) => [id, places.get(column)!])),
    titles: used.map((column) => (column < 0 ? 'Done' : `Wave ${column + 1}`)),
  };
}

/** Sorts tasks so that each comes after what it depends on, and returns the edges without those that close a cycle. */
function sortByDependency(nodes: LayoutNode[], dependsOn: Map<string, string[]>): { order: string[]; acyclic: Map<string, string[]> } {
  const order: string[] = [];
  const acyclic = new Map<string, string[]>();
  const state = new Map<string, 'open' | 'finished'>();
  for (const { id: start } of nodes) {
    if (state.has(start)) continue;
    const stack = [{ id: start, next: 0 }];
    state.set(start, 'open');
    acyclic.set(start, []);
    // A loop instead of recursion: a chain may have thousands of tasks.
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const other = dependsOn.get(top.id)![top.next++];
      if (other === undefined) {
        state.set(top.id, 'finished');
        order.push(top.id);
        stack.pop();
      } else if (state.get(other) !== 'open') {
        acyclic.get(top.id)!.push(other);
        if (state.has(other)) continue;
        state.set(other, 'open');
        acyclic.set(other, []);
        stack.push({ id: other, next: 0 });
      }
    }
  }
  return { order, acyclic };
}
