import { statuses, type TaskStatus } from '../../components/state-badge.tsx';

const names = ['surface', 'border', 'border-strong', 'text', 'text-soft', 'text-muted', 'accent', 'focus', 'warning'] as const;

/** The colours of the current theme, as a canvas needs them. */
export type Palette = Record<(typeof names)[number], string> & {
  states: Record<TaskStatus, { main: string; soft: string }>;
  font: string;
  mono: string;
};

/** Reads the tokens of the page. An element resolves them: `light-dark()` means nothing to a canvas. */
export function readPalette(parent: HTMLElement): Palette {
  const probe = parent.appendChild(document.createElement('span'));
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const readFont = (name: string): string => {
    probe.style.fontFamily = `var(--${name})`;
    return getComputedStyle(probe).fontFamily;
  };
  const palette = {
    ...Object.fromEntries(names.map((name) => [name, read(name)])),
    states: Object.fromEntries(statuses.map((status) => [status, { main: read(status), soft: read(`${status}-soft`) }])),
    font: readFont('font'),
    mono: readFont('mono'),
  } as Palette;
  probe.remove();
  return palette;
}
