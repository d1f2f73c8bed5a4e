import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

interface VirtualListProps<T> {
  rows: T[];
  /** The height of a row in px; it depends on the kind of the row only. */
  getHeight: (row: T) => number;
  getKey: (row: T) => string;
  render: (row: T, index: number) => ComponentChildren;
  label: string;
  className?: string;
  /** The index of a row that must be visible. */
  visibleIndex?: number | undefined;
}

/** Rows above and below the window that are drawn too, so that scrolling shows no blank ones. */
const marginPx = 600;

/** A list that draws only the rows in its window: ten thousand rows cost as much as thirty. */
export function VirtualList<T>({ rows, getHeight, getKey, render, label, className = '', visibleIndex }: VirtualListProps<T>) {
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 900 });
  const offsets = useMemo(() => computeOffsets(rows, getHeight), [rows]);

  const measure = useCallback(() => {
    const element = ref.current;
    if (element) setView({ top: element.scrollTop, height: element.clientHeight });
  }, []);
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = ref.current;
    if (visibleIndex === undefined || !element) return;
    const [top = 0, bottom = 0] = [offsets[visibleIndex], offsets[visibleIndex + 1]];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  }, [visibleIndex]);

  const first = findRow(offsets, view.top - marginPx);
  const last = Math.min(rows.length, findRow(offsets, view.top + view.height + marginPx) + 1);
  return (
    <div ref={ref} class={`virtual-list ${className}`} onScroll={measure} role="list" aria-label={label} tabIndex={-1}>
      <div class="virtual-space" style={{ height: `${offsets[rows.length] ?? 0}px` }} role="presentation">
        {rows.slice(first, last).map((row, i) => (
          <div
            key={getKey(row)}
            class="virtual-row"
            role="listitem"
            aria-setsize={rows.length}
            aria-posinset={first + i + 1}
            style={{ transform: `translateY(${offsets[first + i]}px)`, height: `${getHeight(row)}px` }}
          >
            {render(row, first + i)}
          </div>
        ))}
      </div>
    </div>
  );
}

function computeOffsets<T>(rows: T[], getHeight: (row: T) => number): Float64Array {
  const offsets = new Float64Array(rows.length + 1);
  for (const [i, row] of rows.entries()) offsets[i + 1] = offsets[i]! + getHeight(row);
  return offsets;
}

/** Finds the last row that begins at or above `y`. */
function findRow(offsets: Float64Array, y: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
