/** The visible part of the graph: a point of the graph at (x, y) is drawn at (x * scale + left, y * scale + top). */
export interface Viewport {
  left: number;
  top: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

const minScale = 0.05;
const maxScale = 2;
const marginPx = 24;

const clampScale = (scale: number): number => Math.max(minScale, Math.min(maxScale, scale));

export const pan = ({ left, top, scale }: Viewport, dx: number, dy: number): Viewport => ({ left: left + dx, top: top + dy, scale });

/** Zooms around a point of the screen, which stays where it is. */
export function zoom({ left, top, scale }: Viewport, factor: number, x: number, y: number): Viewport {
  const next = clampScale(scale * factor);
  const change = next / scale;
  return { left: x - (x - left) * change, top: y - (y - top) * change, scale: next };
}

/** Shows the whole graph, below the titles of its columns; a small one is not enlarged. */
export function fitGraph(graph: Size, screen: Size, minimum = minScale): Viewport {
  const scale = Math.max(
    minimum,
    Math.min(1, (screen.width - 2 * marginPx) / Math.max(1, graph.width), (screen.height - 2 * marginPx) / Math.max(1, graph.height)),
  );
  return { left: Math.max(marginPx, (screen.width - graph.width * scale) / 2), top: marginPx, scale };
}

/** Moves the graph by as little as needed to show a box of it; one that is visible already stays where it is. */
export function reveal(view: Viewport, box: { x: number; y: number } & Size, screen: Size): Viewport {
  const shift = (start: number, length: number, available: number): number => {
    if (start < marginPx) return marginPx - start;
    return start + length > available - marginPx ? available - marginPx - start - length : 0;
  };
  const dx = shift(box.x * view.scale + view.left, box.width * view.scale, screen.width);
  const dy = shift(box.y * view.scale + view.top, box.height * view.scale, screen.height);
  return dx === 0 && dy === 0 ? view : pan(view, dx, dy);
}

/** Shows a box in the middle. */
export const centre = ({ scale }: Viewport, box: { x: number; y: number } & Size, screen: Size): Viewport => ({
  scale,
  left: screen.width / 2 - (box.x + box.width / 2) * scale,
  top: screen.height / 2 - (box.y + box.height / 2) * scale,
});
