import type { TaskStatus } from './state-badge.tsx';

/** A part of a shape on a grid of 14 px: a ring and a mark are lines, a fill is an area. */
export interface ShapePart {
  kind: 'ring' | 'fill' | 'mark';
  path: string;
  dash?: [number, number];
}

const drawCircle = (radius: number): string =>
  `M7 ${7 - radius}a${radius} ${radius} 0 1 1 0 ${2 * radius}a${radius} ${radius} 0 1 1 0 ${-2 * radius}z`;

/** The shape of each status, so that it is recognized without colour. */
export const stateShapes: Record<TaskStatus, ShapePart[]> = {
  pending: [{ kind: 'ring', path: drawCircle(5.5), dash: [2.4, 1.9] }],
  active: [
    { kind: 'ring', path: drawCircle(5.5) },
    { kind: 'fill', path: 'M7 3.5a3.5 3.5 0 0 1 0 7z' },
  ],
  blocked: [
    { kind: 'fill', path: 'M4.6 1.2h4.8l3.4 3.4v4.8l-3.4 3.4H4.6L1.2 9.4V4.6z' },
    { kind: 'mark', path: 'M4.4 7h5.2' },
  ],
  done: [
    { kind: 'fill', path: drawCircle(6.2) },
    { kind: 'mark', path: 'm4.2 7.2 2 2 3.6-4' },
  ],
};
