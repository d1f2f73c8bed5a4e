import { assignColumns } from './layout-columns.ts';
import { buildLayers, orderLayers, placeRows } from './layout-rows.ts';

/** A task as the layout reads it. */
export interface LayoutNode {
  id: string;
  isDone: boolean;
  /** An epic or saga, which is placed only if it has dependencies of its own. */
  isContainer?: boolean;
  /** The wave of open work, from 1. */
  wave?: number | undefined;
  parentId?: string | undefined;
}

export interface LayoutInput {
  nodes: LayoutNode[];
  /** Pairs of a task and one that it depends on. */
  edges: [task: string, dependsOn: string][];
}

/** A task with the place of its upper left corner. */
export interface PlacedNode {
  id: string;
  x: number;
  y: number;
  /** Undefined for tasks without dependencies, which lie below the columns. */
  column?: number;
}

/** A dependency as a line from the task that comes first to the one that waits. `points` has x and y in turn. */
interface PlacedEdge {
  task: string;
  dependsOn: string;
  points: number[];
}

export interface GraphLayout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  columns: { title: string; x: number }[];
  /** The top of the tasks without dependencies; undefined if there are none. */
  orphansY?: number;
  width: number;
  height: number;
}

export const nodeSize = { width: 208, height: 44 };
/** The distance of two columns. */
export const columnPitch = nodeSize.width + 76;
const gap = 14;
/** The height of a line of text above the columns and above the tasks without dependencies. */
const titleHeight = 30;

/** Places tasks in columns, one for each wave, so that every dependency leads from left to right. The same input has the same layout. */
export function layoutGraph({ nodes, edges }: LayoutInput): GraphLayout {
  const known = new Set(nodes.map(({ id }) => id));
  const inside = edges.filter(([task, dependsOn]) => known.has(task) && known.has(dependsOn) && task !== dependsOn);
  const own = new Set(inside.flat());
  const linked = findLinked(nodes, own);
  const shown = nodes.filter(({ id, isContainer }) => !isContainer || own.has(id));
  const { columnOf, titles } = assignColumns(
    shown.filter(({ id }) => linked.has(id)),
    inside,
  );
  const layers = buildLayers(columnOf, inside, titles.length);
  orderLayers(layers);
  const centres = placeRows(layers, { node: nodeSize.height + gap, line: gap });

  const toX = (column: number): number => column * columnPitch;
  const placed: PlacedNode[] = [];
  for (const item of layers.items)
    if (item.id !== undefined)
      placed.push({ id: item.id, x: toX(item.column), y: titleHeight + centres[item.at]! - nodeSize.height / 2, column: item.column });
  const placedEdges = layers.paths.map(({ task, dependsOn, items }): PlacedEdge => {
    const points = items.flatMap((at, i) => {
      const { column } = layers.items[at]!;
      const y = titleHeight + centres[at]!;
      const [left, right] = [toX(column), toX(column) + nodeSize.width];
      if (i === 0) return [right, y];
      return i === items.length - 1 ? [left, y] : [left, y, right, y];
    });
    return { task, dependsOn, points };
  });

  const bottom = Math.max(0, ...placed.map(({ y }) => y + nodeSize.height));
  const orphans = shown.filter(({ id }) => !linked.has(id));
  const orphansY = placed.length === 0 ? titleHeight : bottom + titleHeight + 2 * gap;
  const perRow = Math.max(titles.length, Math.ceil(Math.sqrt(orphans.length * 0.3)));
  for (const [i, { id }] of orphans.entries())
    placed.push({
      id,
      x: (i % perRow) * columnPitch,
      y: orphansY + Math.floor(i / perRow) * (nodeSize.height + gap),
    });
  return {
    nodes: placed,
    edges: placedEdges,
    columns: titles.map((title, column) => ({ title, x: toX(column) })),
    ...(orphans.length > 0 ? { orphansY } : {}),
    width: Math.max(0, ...placed.map(({ x }) => x + nodeSize.width)),
    height: Math.max(0, ...placed.map(({ y }) => y + nodeSize.height)),
  };
}

/** Finds the tasks that take part in a dependency, themselves or by a task above them. */
function findLinked(nodes: LayoutNode[], own: Set<string>): Set<string> {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  // The hierarchy has four tiers; the limit guards against a cycle in a damaged store.
  const isLinked = (id: string | undefined, tiers = 8): boolean =>
    id !== undefined && tiers > 0 && (own.has(id) || isLinked(parents.get(id), tiers - 1));
  return new Set(nodes.filter(({ id, wave = 1 }) => wave > 1 || isLinked(id)).map(({ id }) => id));
}
