import type { MutableRef } from 'preact/hooks';
import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../../state/store.ts';
import { theme } from '../../state/theme.ts';
import type { Highlight } from './highlight.ts';
import { nodeSize } from './layout.ts';
import { readPalette } from './palette.ts';
import type { Scene } from './scene.ts';
import type { Size, Viewport } from './viewport.ts';

export interface MinimapHandle {
  /** Moves the frame that shows what is visible. */
  setView(view: Viewport, screen: Size): void;
}

interface MinimapProps {
  handle: MutableRef<MinimapHandle | undefined>;
  scene: Scene;
  highlight: Highlight;
  /** A person chose a point of the graph. */
  onMove: (x: number, y: number) => void;
}

const size: Size = { width: 176, height: 112 };
const minBlockPx = 1.5;

/** The whole graph in a corner. Its picture is drawn once; moving the graph moves only a frame. */
export function Minimap({ handle, scene, highlight, onMove }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const visible = useRef<HTMLDivElement>(null);
  const currentTheme = useStore(theme);
  const { layout, tasks } = scene;
  const scale = Math.min(size.width / Math.max(1, layout.width), size.height / Math.max(1, layout.height), 0.2);

  handle.current = {
    setView(view, screen) {
      const { style } = visible.current!;
      const toMap = (value: number, limit: number): number => Math.max(0, Math.min(limit, value));
      const left = toMap((-view.left / view.scale) * scale, size.width);
      const top = toMap((-view.top / view.scale) * scale, size.height);
      const right = toMap(((screen.width - view.left) / view.scale) * scale, size.width);
      const bottom = toMap(((screen.height - view.top) / view.scale) * scale, size.height);
      style.transform = `translate(${left}px, ${top}px)`;
      style.width = `${Math.max(4, right - left)}px`;
      style.height = `${Math.max(4, bottom - top)}px`;
    },
  };
  useEffect(() => {
    const element = canvas.current!;
    const context = element.getContext('2d');
    if (!context) return;
    const ratio = devicePixelRatio;
    element.width = size.width * ratio;
    element.height = size.height * ratio;
    context.scale(ratio, ratio);
    const palette = readPalette(element.parentElement!);
    for (const { id, x, y } of layout.nodes) {
      const task = tasks.get(id);
      if (!task) continue;
      context.globalAlpha = highlight.lit && !highlight.lit.has(id) ? 0.25 : 1;
      context.fillStyle = id === highlight.selected ? palette.focus : palette.states[task.status].main;
      context.fillRect(
        x * scale,
        y * scale,
        Math.max(minBlockPx, nodeSize.width * scale),
        Math.max(minBlockPx, nodeSize.height * scale - 0.5),
      );
    }
  }, [scene, highlight, currentTheme]);

  const move = (event: PointerEvent): void => {
    if ((event.buttons & 1) === 0) return;
    const { left, top, width } = canvas.current!.getBoundingClientRect();
    // A narrow screen shows it smaller.
    const toGraph = size.width / width / scale;
    onMove((event.clientX - left) * toGraph, (event.clientY - top) * toGraph);
  };
  return (
    <div
      class="graph-minimap"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
    >
      <canvas ref={canvas} />
      <div ref={visible} class="graph-minimap-view" />
    </div>
  );
}
