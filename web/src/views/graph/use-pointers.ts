import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PointerHandlers {
  onPan: (dx: number, dy: number) => void;
  onZoom: (factor: number, x: number, y: number) => void;
  onTap: (x: number, y: number) => void;
  onDoubleTap: (x: number, y: number) => void;
  /** Returns the text to show for a point; undefined if nothing is there. */
  describePoint: (x: number, y: number) => string | undefined;
}

/** A pointer that moves less than this is a tap. */
const maxTapPx = 4;
const wheelFactor = 1.0016;

/** Follows mouse, touch and pen on an element: one pointer moves, two pointers or the wheel zoom, the wheel with Shift moves. */
export function usePointers(element: RefObject<HTMLElement>, handlers: PointerHandlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const target = element.current!;
    const pointers = new Map<number, { x: number; y: number }>();
    let moved = 0;
    const toPoint = (event: MouseEvent): { x: number; y: number } => {
      const { left, top } = target.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    const onDown = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      target.setPointerCapture(event.pointerId);
      if (pointers.size === 0) moved = 0;
      pointers.set(event.pointerId, toPoint(event));
    };
    const onMove = (event: PointerEvent): void => {
      const point = toPoint(event);
      const before = pointers.get(event.pointerId);
      if (!before) {
        if (event.pointerType !== 'mouse') return;
        const text = latest.current.describePoint(point.x, point.y);
        target.style.cursor = text === undefined ? '' : 'pointer';
        target.title = text ?? '';
        return;
      }
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      const [dx, dy] = [point.x - before.x, point.y - before.y];
      moved += Math.abs(dx) + Math.abs(dy);
      pointers.set(event.pointerId, point);
      if (other) {
        const distance = (from: { x: number; y: number }): number => Math.max(1, Math.hypot(from.x - other.x, from.y - other.y));
        latest.current.onZoom(distance(point) / distance(before), (point.x + other.x) / 2, (point.y + other.y) / 2);
        latest.current.onPan(dx / 2, dy / 2);
      } else if (moved > maxTapPx) latest.current.onPan(dx, dy);
    };
    const onUp = (event: PointerEvent): void => {
      const isTap = event.type === 'pointerup' && pointers.size === 1 && pointers.has(event.pointerId) && moved <= maxTapPx;
      pointers.delete(event.pointerId);
      const { x, y } = toPoint(event);
      if (isTap) latest.current.onTap(x, y);
    };
    const onDoubleClick = (event: MouseEvent): void => {
      const { x, y } = toPoint(event);
      latest.current.onDoubleTap(x, y);
    };
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const { x, y } = toPoint(event);
      if (event.shiftKey) latest.current.onPan(-(event.deltaX || event.deltaY) * unit, event.deltaX ? -event.deltaY * unit : 0);
      // A pinch on a touchpad arrives as a wheel with Ctrl and small steps.
      else latest.current.onZoom(wheelFactor ** (-event.deltaY * unit * (event.ctrlKey ? 6 : 1)), x, y);
    };
    const listeners: [string, EventListener][] = [
      ['pointerdown', onDown as EventListener],
      ['pointermove', onMove as EventListener],
      ['pointerup', onUp as EventListener],
      ['pointercancel', onUp as EventListener],
      ['dblclick', onDoubleClick as EventListener],
      ['wheel', onWheel as EventListener],
    ];
    for (const [name, run] of listeners) target.addEventListener(name, run, { passive: false });
    return () => {
      for (const [name, run] of listeners) target.removeEventListener(name, run);
    };
  }, []);
}
