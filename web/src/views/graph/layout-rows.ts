import type { LayoutInput } from './layout.ts';

/** A task in its column, or the place where a long dependency crosses a column. */
interface LayerItem {
  /** The index of this item in `items`. */
  at: number;
  column: number;
  /** Undefined for a place of a line. */
  id?: string;
  /** Items of separate parts of the graph are not mixed. */
  part: number;
  /** Neighbours in the column to the left and to the right. */
  before: number[];
  after: number[];
}

export interface Layers {
  items: LayerItem[];
  /** The items of each column from top to bottom. */
  columns: number[][];
  /** Each dependency with the items on its way, from left to right. */
  paths: { task: string; dependsOn: string; items: number[] }[];
}

/** More places of lines than this are left out: the lines then lie below other tasks, and the layout stays fast. */
const maxLinePlaces = 20_000;
const sweeps = 10;

/** Creates the items of all columns. A dependency over several columns gets a place in each of them, which all lines of the same task
 *  share. */
export function buildLayers(columnOf: Map<string, number>, edges: LayoutInput['edges'], columnCount: number): Layers {
  const items: LayerItem[] = [];
  const columns = Array.from({ length: columnCount }, (): number[] => []);
  const add = (column: number, id?: string): LayerItem => {
    const item: LayerItem = { at: items.length, column, part: 0, before: [], after: [], ...(id === undefined ? {} : { id }) };
    items.push(item);
    columns[column]!.push(item.at);
    return item;
  };
  const nodeOf = new Map([...columnOf].map(([id, column]) => [id, add(column, id)]));
  const isForward = ([task, other]: [string, string]): boolean => columnOf.get(other)! < columnOf.get(task)!;
  const forward = edges.filter(isForward);
  const reach = new Map<string, number>();
  for (const [task, other] of forward) reach.set(other, Math.max(reach.get(other) ?? 0, columnOf.get(task)!));
  const total = [...reach].reduce((sum, [id, last]) => sum + Math.max(0, last - columnOf.get(id)! - 1), 0);
  const linesOf = new Map<string, number[]>();
  const link = (left: number, right: number): void => {
    items[left]!.after.push(right);
    items[right]!.before.push(left);
  };
  for (const [id, last] of total > maxLinePlaces ? [] : reach) {
    const lines: number[] = [];
    for (let column = columnOf.get(id)! + 1; column < last; column++) {
      const { at } = add(column);
      link(lines.at(-1) ?? nodeOf.get(id)!.at, at);
      lines.push(at);
    }
    linesOf.set(id, lines);
  }
  const paths = edges.map(([task, dependsOn]) => {
    const [from, to] = [nodeOf.get(dependsOn)!, nodeOf.get(task)!];
    const lines = to.column > from.column ? (linesOf.get(dependsOn) ?? []).slice(0, to.column - from.column - 1) : [];
    if (to.column > from.column) link(lines.at(-1) ?? from.at, to.at);
    return { task, dependsOn, items: [from.at, ...lines, to.at] };
  });
  markParts(items);
  return { items, columns, paths };
}

/** Numbers the connected parts of the graph, large ones first. */
function markParts(items: LayerItem[]): void {
  const parts: number[][] = [];
  const seen = new Set<number>();
  for (const { at } of items) {
    if (seen.has(at)) continue;
    const part = new Set([at]);
    for (const each of part) for (const other of [...items[each]!.before, ...items[each]!.after]) part.add(other);
    for (const each of part) seen.add(each);
    parts.push([...part]);
  }
  parts.sort((a, b) => b.length - a.length);
  for (const [number, part] of parts.entries()) for (const at of part) items[at]!.part = number;
}

/** Orders each column by the mean place of its neighbours, from left to right and back, and leaves the order with the fewest crossings. */
export function orderLayers(layers: Layers): void {
  const { items, columns } = layers;
  const place = new Float64Array(items.length);
  const apply = (column: number[]): void => {
    for (const [i, at] of column.entries()) place[at] = i;
  };
  for (const column of columns) {
    column.sort((a, b) => items[a]!.part - items[b]!.part);
    apply(column);
  }
  let best = columns.map((column) => [...column]);
  let fewest = countCrossings(layers);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const side = sweep % 2 === 0 ? 'before' : 'after';
    for (const column of side === 'before' ? columns : [...columns].reverse()) {
      const weight = new Map(column.map((at) => [at, computeMean(items[at]![side], place) ?? place[at]!]));
      column.sort((a, b) => items[a]!.part - items[b]!.part || weight.get(a)! - weight.get(b)! || place[a]! - place[b]!);
      apply(column);
    }
    const crossings = countCrossings(layers);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = columns.map((column) => [...column]);
  }
  layers.columns = best;
}

function computeMean(others: number[], values: ArrayLike<number>): number | undefined {
  if (others.length === 0) return undefined;
  let sum = 0;
  for (const other of others) sum += values[other]!;
  return sum / others.length;
}

/** Counts the pairs of lines that cross between neighbouring columns, with a Fenwick tree. */
export function countCrossings({ items, columns }: Pick<Layers, 'items' | 'columns'>): number {
  const place = new Int32Array(items.length);
  for (const column of columns) for (const [i, at] of column.entries()) place[at] = i;
  let crossings = 0;
  for (const [i, column] of columns.entries()) {
    const size = columns[i + 1]?.length ?? 0;
    const tree = new Int32Array(size + 1);
    let drawn = 0;
    for (const at of column) {
      const ends = items[at]!.after.filter((other) => items[other]!.column === i + 1).map((other) => place[other]!);
      for (const end of ends) {
        crossings += drawn;
        for (let n = end + 1; n > 0; n -= n & -n) crossings -= tree[n]!;
      }
      for (const end of ends) for (let n = end + 1; n <= size; n += n & -n) tree[n]!++;
      drawn += ends.length;
    }
  }
  return crossings;
}

/** Returns the middle of each item. Items stay in their order and at their distance, as near to their neighbours as that allows. */
export function placeRows({ items, columns }: Layers, heights: { node: number; line: number }): Float64Array {
  const centres = new Float64Array(items.length);
  const getHeight = (at: number): number => (items[at]!.id === undefined ? heights.line : heights.node);
  for (const column of columns) {
    let y = 0;
    for (const at of column) {
      centres[at] = y + getHeight(at) / 2;
      y += getHeight(at);
    }
  }
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0;
    for (const column of isForward ? columns : [...columns].reverse()) {
      const wanted = column.map((at) => {
        const { before, after } = items[at]!;
        return computeMean(isForward ? before : after, centres) ?? computeMean(isForward ? after : before, centres) ?? centres[at]!;
      });
      const found = separate(wanted, column.map(getHeight));
      for (const [i, at] of column.entries()) centres[at] = found[i]!;
    }
  }
  let top = Number.POSITIVE_INFINITY;
  for (const { at } of items) top = Math.min(top, centres[at]! - getHeight(at) / 2);
  return items.length === 0 ? centres : centres.map((y) => y - top);
}

/** Finds the places nearest to the wanted ones (least squares) at which items in this order do not overlap. */
export function separate(wanted: number[], heights: number[]): number[] {
  const offsets: number[] = [];
  for (const [i, height] of heights.entries()) offsets.push(i === 0 ? 0 : offsets[i - 1]! + (heights[i - 1]! + height) / 2);
  // Without the offsets the places only have to be ascending: neighbours in the wrong order are merged to their mean.
  const blocks: { sum: number; count: number }[] = [];
  for (const [i, value] of wanted.entries()) {
    let block = { sum: value - offsets[i]!, count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.count > block.sum / block.count; last = blocks.at(-1)) {
      blocks.pop();
      block = { sum: last.sum + block.sum, count: last.count + block.count };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count)).map((value, i) => value + offsets[i]!);
}
