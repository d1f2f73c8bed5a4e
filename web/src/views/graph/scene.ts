import type { Success } from '../../api/operations.generated.ts';
import type { GraphLayout, PlacedNode } from './layout.ts';
import { nodeSize } from './layout.ts';

export type SceneTask = Success<'orchestrate.graph'>['nodes'][number];

/** Lines that are near to each other, so that those outside the screen are skipped together. */
interface LineGroup {
  lines: Path2D;
  heads: Path2D;
  box: { left: number; top: number; right: number; bottom: number };
}

/** A placed graph, prepared for drawing. */
export interface Scene {
  layout: GraphLayout;
  tasks: Map<string, SceneTask>;
  places: Map<string, PlacedNode>;
  groups: LineGroup[];
}

/** Lines that begin within this height form a group. */
const groupHeight = 600;
const headSize = 5;

export function buildScene(layout: GraphLayout, tasks: Map<string, SceneTask>): Scene {
  const groups = new Map<string, LineGroup>();
  const drawn = new Set<string>();
  for (const { points } of layout.edges)
    for (let i = 0; i + 3 < points.length; i += 2) {
      const part = points.slice(i, i + 4) as [number, number, number, number];
      const isEnd = i + 4 === points.length;
      const key = `${part.join()} ${isEnd}`;
      // Dependencies on the same task share the first parts of their lines.
      if (drawn.has(key)) continue;
      drawn.add(key);
      const group = findGroup(groups, part);
      tracePart(group.lines, part, i % 4 === 0);
      if (isEnd) traceHead(group.heads, part[2], part[3]);
    }
  return { layout, tasks, places: new Map(layout.nodes.map((node) => [node.id, node])), groups: [...groups.values()] };
}

function findGroup(groups: Map<string, LineGroup>, [x1, y1, x2, y2]: [number, number, number, number]): LineGroup {
  const key = `${x1} ${Math.floor(y1 / groupHeight)}`;
  let group = groups.get(key);
  if (!group) {
    group = { lines: new Path2D(), heads: new Path2D(), box: { left: x1, top: y1, right: x1, bottom: y1 } };
    groups.set(key, group);
  }
  const { box } = group;
  box.left = Math.min(box.left, x1, x2) - 1;
  box.right = Math.max(box.right, x1, x2) + 1;
  box.top = Math.min(box.top, y1, y2) - headSize;
  box.bottom = Math.max(box.bottom, y1, y2) + headSize;
  return group;
}

function tracePart(path: Path2D, [x1, y1, x2, y2]: [number, number, number, number], isCurve: boolean): void {
  path.moveTo(x1, y1);
  const reach = x2 > x1 ? (x2 - x1) / 2 : nodeSize.width / 2;
  if (isCurve && y1 !== y2) path.bezierCurveTo(x1 + reach, y1, x2 - reach, y2, x2, y2);
  else path.lineTo(x2, y2);
}

function traceHead(path: Path2D, x: number, y: number): void {
  path.moveTo(x, y);
  path.lineTo(x - 1.6 * headSize, y - headSize);
  path.lineTo(x - 1.6 * headSize, y + headSize);
  path.closePath();
}

/** Traces whole dependencies, for those that are drawn above the others. */
export function traceEdges(layout: GraphLayout, isIncluded: (task: string, dependsOn: string) => boolean): LineGroup['lines'][] {
  const [lines, heads] = [new Path2D(), new Path2D()];
  for (const { task, dependsOn, points } of layout.edges) {
    if (!isIncluded(task, dependsOn)) continue;
    for (let i = 0; i + 3 < points.length; i += 2)
      tracePart(lines, points.slice(i, i + 4) as [number, number, number, number], i % 4 === 0);
    traceHead(heads, points.at(-2)!, points.at(-1)!);
  }
  return [lines, heads];
}

/** Finds the task at a point of the graph. */
export const findNode = ({ layout }: Scene, x: number, y: number): PlacedNode | undefined =>
  layout.nodes.find((node) => x >= node.x && x <= node.x + nodeSize.width && y >= node.y && y <= node.y + nodeSize.height);

/** Finds the next task in a direction: up and down in the same column, left and right the nearest in a neighbouring column, those with a
 *  dependency first. */
export function findNext(
  { layout, places }: Scene,
  id: string,
  key: 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight',
): string | undefined {
  const from = places.get(id);
  if (!from) return layout.nodes[0]?.id;
  const isVertical = key === 'ArrowUp' || key === 'ArrowDown';
  const sign = key === 'ArrowUp' || key === 'ArrowLeft' ? -1 : 1;
  if (!isVertical) {
    const linked = layout.edges
      .filter(({ task, dependsOn }) => (sign < 0 ? task : dependsOn) === id)
      .map(({ task, dependsOn }) => places.get(sign < 0 ? dependsOn : task)!);
    if (linked.length > 0) return findNearest(linked, from);
  }
  const others = layout.nodes.filter((node) =>
    isVertical ? node.x === from.x && (node.y - from.y) * sign > 0 : (node.x - from.x) * sign > 0,
  );
  return findNearest(others, from);
}

const findNearest = (nodes: PlacedNode[], from: PlacedNode): string | undefined =>
  nodes
    .map(({ id, x, y }) => ({ id, distance: Math.abs(x - from.x) * 3 + Math.abs(y - from.y) }))
    .sort((a, b) => a.distance - b.distance)[0]?.id;
