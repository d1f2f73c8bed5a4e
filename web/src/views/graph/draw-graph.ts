import { formatId } from '#core/terminal/cell.ts';
import { type ShapePart, stateShapes } from '../../components/state-shapes.ts';
import type { Highlight } from './highlight.ts';
import { columnPitch, nodeSize, type PlacedNode } from './layout.ts';
import type { Palette } from './palette.ts';
import type { Scene, SceneTask } from './scene.ts';
import type { Size, Viewport } from './viewport.ts';

/** Below this scale texts cannot be read: tasks are drawn as blocks. */
const minTextScale = 0.42;
const dimmed = 0.3;
const inset = 12;
const titleBarPx = 23;
/** Columns that are narrower have no titles. */
const minTitlePx = 24;

/** Draws the visible part of the graph. */
export function drawGraph(
  context: CanvasRenderingContext2D,
  scene: Scene,
  highlight: Highlight,
  palette: Palette,
  view: Viewport,
  screen: Size,
): void {
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, screen.width, screen.height);
  context.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, ratio * view.left, ratio * view.top);
  const left = -view.left / view.scale;
  const top = -view.top / view.scale;
  const area = { left, top, right: left + screen.width / view.scale, bottom: top + screen.height / view.scale };
  const hasText = view.scale >= minTextScale;
  drawLines(context, scene, highlight, palette, area, Math.max(1, 0.8 / view.scale), hasText);
  const isVisible = ({ x, y }: PlacedNode): boolean =>
    x < area.right && x + nodeSize.width > area.left && y < area.bottom && y + nodeSize.height > area.top;
  for (const node of scene.layout.nodes) {
    const task = scene.tasks.get(node.id);
    if (!task || !isVisible(node)) continue;
    context.globalAlpha = highlight.lit && !highlight.lit.has(node.id) ? dimmed : 1;
    if (hasText) drawCard(context, node, task, palette);
    else drawBlock(context, node, task, palette);
    drawOutline(context, node, highlight, palette, view.scale);
  }
  context.globalAlpha = 1;
  drawTitles(context, scene, palette, view, screen);
}

interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function drawLines(
  context: CanvasRenderingContext2D,
  { groups }: Scene,
  { lit, lines }: Highlight,
  palette: Palette,
  area: Area,
  width: number,
  hasHeads: boolean,
): void {
  context.lineWidth = width;
  context.strokeStyle = palette['border-strong'];
  context.fillStyle = palette['border-strong'];
  context.globalAlpha = lit ? 0.45 : 1;
  for (const { lines: path, heads, box } of groups) {
    if (box.left > area.right || box.right < area.left || box.top > area.bottom || box.bottom < area.top) continue;
    context.stroke(path);
    if (hasHeads) context.fill(heads);
  }
  context.globalAlpha = 1;
  for (const { paths, isDashed, colour } of lines) {
    context.lineWidth = 2 * width;
    context.setLineDash(isDashed ? [6 * width, 4 * width] : []);
    context.strokeStyle = palette[colour];
    context.fillStyle = palette[colour];
    context.stroke(paths[0]!);
    context.setLineDash([]);
    if (hasHeads) context.fill(paths[1]!);
  }
}

function traceBox(context: CanvasRenderingContext2D, { x, y }: PlacedNode, margin = 0): void {
  context.beginPath();
  context.roundRect(x - margin, y - margin, nodeSize.width + 2 * margin, nodeSize.height + 2 * margin, 6 + margin);
}

function drawCard(context: CanvasRenderingContext2D, node: PlacedNode, { id, type, title, status }: SceneTask, palette: Palette): void {
  traceBox(context, node);
  context.fillStyle = status === 'pending' ? palette.surface : palette.states[status].soft;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = status === 'pending' ? palette['border-strong'] : palette.states[status].main;
  context.stroke();
  drawShape(context, stateShapes[status], node.x + inset - 2, node.y + 6, palette, status);
  context.fillStyle = palette['text-soft'];
  context.font = `11px ${palette.mono}`;
  context.fillText(formatId({ id, type }), node.x + inset + 18, node.y + 17);
  context.fillStyle = palette.text;
  context.font = `12px ${palette.font}`;
  context.fillText(shorten(context, title, nodeSize.width - 2 * inset), node.x + inset, node.y + 35);
}

/** Draws a task that is too small for text. The statuses differ by shape too: outline, half, crossed, full. */
function drawBlock(context: CanvasRenderingContext2D, node: PlacedNode, { status }: SceneTask, palette: Palette): void {
  const { main, soft } = palette.states[status];
  const { width, height } = nodeSize;
  context.fillStyle = status === 'pending' ? palette.surface : status === 'active' ? soft : main;
  context.fillRect(node.x, node.y, width, height);
  context.lineWidth = 6;
  context.strokeStyle = main;
  context.strokeRect(node.x + 3, node.y + 3, width - 6, height - 6);
  context.fillStyle = status === 'blocked' ? palette.surface : main;
  if (status === 'active') context.fillRect(node.x, node.y, width / 2, height);
  if (status === 'blocked') context.fillRect(node.x + width / 6, node.y + height / 2 - 5, (width * 2) / 3, 10);
}

const shapePaths = new Map<ShapePart, Path2D>();

function drawShape(
  context: CanvasRenderingContext2D,
  parts: ShapePart[],
  x: number,
  y: number,
  palette: Palette,
  status: SceneTask['status'],
): void {
  context.translate(x, y);
  for (const part of parts) {
    let path = shapePaths.get(part);
    if (!path) {
      path = new Path2D(part.path);
      shapePaths.set(part, path);
    }
    if (part.kind === 'fill') {
      context.fillStyle = palette.states[status].main;
      context.fill(path);
      continue;
    }
    context.lineWidth = 1.6;
    context.strokeStyle = part.kind === 'mark' ? palette.surface : palette.states[status].main;
    context.setLineDash(part.dash ?? []);
    context.stroke(path);
    context.setLineDash([]);
  }
  context.translate(-x, -y);
}

function drawOutline(
  context: CanvasRenderingContext2D,
  node: PlacedNode,
  { selected, matches, critical }: Highlight,
  palette: Palette,
  scale: number,
): void {
  const width = Math.max(2, 2 / scale);
  const draw = (colour: string, margin: number): void => {
    traceBox(context, node, margin);
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke();
  };
  if (node.id === selected) draw(palette.focus, width);
  else if (matches?.has(node.id)) draw(palette.warning, width);
  else if (critical.has(node.id)) draw(palette.accent, 0);
}

/** Draws the titles of the columns at the upper edge of the screen, so that they stay when the graph is moved. */
function drawTitles(context: CanvasRenderingContext2D, { layout }: Scene, palette: Palette, view: Viewport, screen: Size): void {
  context.font = `600 12px ${palette.font}`;
  if (layout.orphansY !== undefined && view.scale >= minTextScale) {
    context.fillStyle = palette['text-muted'];
    context.fillText('Without dependencies', 0, layout.orphansY - 14);
  }
  const ratio = devicePixelRatio;
  const widthPx = columnPitch * view.scale;
  if (layout.columns.length === 0 || widthPx < minTitlePx) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, screen.width, titleBarPx);
  context.fillStyle = palette['text-muted'];
  for (const { title, x } of layout.columns) {
    const left = x * view.scale + view.left;
    if (left > -widthPx && left < screen.width) context.fillText(widthPx < 60 ? title.replace('Wave ', '') : title, left, 16);
  }
}

const shortened = new Map<string, string>();
const maxShortened = 5000;

/** Cuts a text to a width. Measuring is slow, so results are stored. */
function shorten(context: CanvasRenderingContext2D, text: string, width: number): string {
  const stored = shortened.get(text);
  if (stored !== undefined) return stored;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  const result = context.measureText(text).width <= width ? text : `${text.slice(0, low).trimEnd()}…`;
  if (shortened.size >= maxShortened) shortened.clear();
  shortened.set(text, result);
  return result;
}
