import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useStore } from '../../state/store.ts';
import { theme } from '../../state/theme.ts';
import { drawGraph } from './draw-graph.ts';
import type { Highlight } from './highlight.ts';
import { nodeSize } from './layout.ts';
import { Minimap, type MinimapHandle } from './minimap.tsx';
import { type Palette, readPalette } from './palette.ts';
import { findNext, findNode, type Scene } from './scene.ts';
import { usePointers } from './use-pointers.ts';
import { centre, fitGraph, pan, reveal, type Size, type Viewport, zoom } from './viewport.ts';

interface GraphCanvasProps {
  scene: Scene;
  highlight: Highlight;
  label: string;
  onSelect: (id: string | undefined) => void;
  onOpen: (id: string) => void;
}

/** A graph begins at this scale or above, so that its texts can be read. */
const minFirstScale = 0.5;
const panStepPx = 80;
const zoomStep = 1.25;

/** The graph on a canvas. The panel next to it lists the same tasks as elements. */
export function GraphCanvas({ scene, highlight, label, onSelect, onOpen }: GraphCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<MinimapHandle | undefined>();
  const view = useRef<Viewport | undefined>();
  const palette = useRef<Palette | undefined>();
  const shown = useRef({ scene, highlight });
  const pending = useRef(0);
  const isMarked = useRef(false);
  const currentTheme = useStore(theme);

  const getScreen = () => ({ width: frame.current?.clientWidth ?? 0, height: frame.current?.clientHeight ?? 0 });
  const draw = (): void => {
    pending.current = 0;
    const context = canvas.current?.getContext('2d');
    if (!context || !frame.current || !view.current) return;
    palette.current ??= readPalette(frame.current);
    drawGraph(context, shown.current.scene, shown.current.highlight, palette.current, view.current, getScreen());
    minimap.current?.setView(view.current, getScreen());
    // `npm run bench:web` reads it.
    if (!isMarked.current) performance.mark('graph-drawn');
    isMarked.current = true;
  };
  const schedule = (): void => {
    pending.current ||= requestAnimationFrame(draw);
  };
  const setView = (next: Viewport): void => {
    view.current = next;
    schedule();
  };
  const change = (apply: (now: Viewport) => Viewport): void => {
    if (view.current) setView(apply(view.current));
  };
  const zoomCentre = (factor: number): void => {
    const { width, height } = getScreen();
    change((now) => zoom(now, factor, width / 2, height / 2));
  };
  const showAll = (): void => setView(fitGraph(scene.layout, getScreen()));

  useLayoutEffect(() => {
    const element = canvas.current!;
    const resize = (): void => {
      const { width, height } = getScreen();
      element.width = Math.round(width * devicePixelRatio);
      element.height = Math.round(height * devicePixelRatio);
      // A cleared canvas must not be seen: it is drawn in the same frame.
      if (view.current) draw();
    };
    resize();
    const observer = new ResizeObserver(resize);
    observer.observe(frame.current!);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const readAgain = (): void => {
      palette.current = undefined;
      schedule();
    };
    scheme.addEventListener('change', readAgain);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', readAgain);
      cancelAnimationFrame(pending.current);
    };
  }, []);
  useEffect(() => {
    palette.current = undefined;
    schedule();
  }, [currentTheme]);

  useLayoutEffect(() => {
    const before = shown.current.scene;
    shown.current = { scene, highlight };
    if (!view.current) {
      const first = fitGraph(scene.layout, getScreen(), minFirstScale);
      const place = scene.places.get(highlight.selected ?? '');
      const box = place && { ...place, ...nodeSize };
      const isVisible = !box || reveal(first, box, getScreen()) === first;
      view.current = isVisible ? first : centre(first, box, getScreen());
    } else if (before.layout !== scene.layout) view.current = followAnchor(view.current, before, scene, highlight.selected, getScreen());
    schedule();
  }, [scene, highlight]);

  useEffect(() => {
    const box = highlight.selected === undefined ? undefined : scene.places.get(highlight.selected);
    if (box) change((now) => reveal(now, { ...box, ...nodeSize }, getScreen()));
  }, [highlight.selected]);

  const toGraph = (x: number, y: number): [number, number] => {
    const { left, top, scale } = view.current ?? { left: 0, top: 0, scale: 1 };
    return [(x - left) / scale, (y - top) / scale];
  };
  usePointers(canvas, {
    onPan: (dx, dy) => change((now) => pan(now, dx, dy)),
    onZoom: (factor, x, y) => change((now) => zoom(now, factor, x, y)),
    onTap: (x, y) => onSelect(findNode(shown.current.scene, ...toGraph(x, y))?.id),
    onDoubleTap: (x, y) => {
      const node = findNode(shown.current.scene, ...toGraph(x, y));
      if (node) onOpen(node.id);
    },
    describePoint: (x, y) => shown.current.scene.tasks.get(findNode(shown.current.scene, ...toGraph(x, y))?.id ?? '')?.title,
  });

  useShortcuts('Zoom', [
    { keys: '+', about: 'Zoom in', run: () => zoomCentre(zoomStep) },
    { keys: '-', about: 'Zoom out', run: () => zoomCentre(1 / zoomStep) },
    { keys: '0', about: 'Show the whole graph', run: showAll },
  ]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    const step = { ArrowLeft: [panStepPx, 0], ArrowRight: [-panStepPx, 0], ArrowUp: [0, panStepPx], ArrowDown: [0, -panStepPx] }[key];
    if (step && event.shiftKey) change((now) => pan(now, step[0]!, step[1]!));
    else if (step) {
      const next = findNext(scene, highlight.selected ?? '', key as 'ArrowUp');
      if (next !== undefined) onSelect(next);
    } else if (key === 'Escape' && highlight.selected !== undefined) onSelect(undefined);
    else return;
    event.preventDefault();
  };

  return (
    <div ref={frame} class="graph-frame">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: arrow keys move between its tasks */}
      <canvas
        ref={canvas}
        class="graph-canvas"
        tabIndex={0}
        role="application"
        aria-roledescription="graph"
        aria-label={label}
        onKeyDown={onKeyDown}
      />
      <div class="graph-tools">
        <button type="button" class="button icon-only" aria-label="Zoom in" onClick={() => zoomCentre(zoomStep)}>
          <Icon name="plus" size={14} />
        </button>
        <button type="button" class="button icon-only" aria-label="Zoom out" onClick={() => zoomCentre(1 / zoomStep)}>
          <Icon name="minus" size={14} />
        </button>
        <button type="button" class="button icon-only" aria-label="Show the whole graph" onClick={showAll}>
          <Icon name="fit" size={14} />
        </button>
      </div>
      <Minimap
        handle={minimap}
        scene={scene}
        highlight={highlight}
        onMove={(x, y) => change((now) => centre(now, { x, y, width: 0, height: 0 }, getScreen()))}
      />
    </div>
  );
}

/** Leaves the selected task, or else the one nearest to the middle of the screen, where it is. */
function followAnchor(view: Viewport, before: Scene, after: Scene, selected: string | undefined, screen: Size): Viewport {
  const [x, y] = [(screen.width / 2 - view.left) / view.scale, (screen.height / 2 - view.top) / view.scale];
  let anchor = before.places.get(selected ?? '');
  let nearest = Number.POSITIVE_INFINITY;
  for (const node of anchor ? [] : before.layout.nodes) {
    const distance = Math.hypot(node.x - x, node.y - y);
    if (distance >= nearest || !after.places.has(node.id)) continue;
    nearest = distance;
    anchor = node;
  }
  const now = after.places.get(anchor?.id ?? '');
  return anchor && now ? pan(view, (anchor.x - now.x) * view.scale, (anchor.y - now.y) * view.scale) : view;
}
