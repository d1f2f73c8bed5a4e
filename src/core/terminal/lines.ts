import type { Colour, Screen } from './screen.ts';
import { measureWidth, padRight, toOneLine, wrap } from './text.ts';

export const indentLines = (lines: string[]): string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));

/** Joins the parts that are not empty: `active · high · task`. */
export const joinParts = (parts: unknown[], separator = ' · '): string =>
  parts
    .filter((part) => part !== undefined && part !== null && part !== '')
    .map((part) => toOneLine(String(part)))
    .join(separator);

/** Wraps a text and indents its lines. */
export const drawIndented = (text: string, { columns }: Screen, indent = 2): string[] =>
  wrap(toOneLine(text), columns - indent).map((line) => `${' '.repeat(indent)}${line}`);

/** Draws the items one after the other with an empty line between them. */
export const drawEach = <T>(items: T[], draw: (item: T) => string[]): string[] =>
  items.flatMap((item, i) => [...(i > 0 ? [''] : []), ...draw(item)]);

/** Draws a wrapped text behind a mark; further lines are aligned with the first. */
export function drawBullet(mark: string, text: string, screen: Screen): string[] {
  const width = measureWidth(mark) + 1;
  return wrap(text, screen.columns - width).map((line, i) => `${i === 0 ? mark : ' '.repeat(width - 1)} ${line}`);
}

/** Draws a wrapped text behind a head; further lines are aligned with the first. */
export function drawHanging(head: string, text: string, screen: Screen, colour?: Colour): string[] {
  const width = measureWidth(head);
  return wrap(toOneLine(text), screen.columns - width).map((line, i) =>
    `${i === 0 ? head : ' '.repeat(width)}${colour ? screen.paint(colour, line) : line}`.trimEnd(),
  );
}

/** Draws names in one column and the lines of each in the other. */
export function drawNamed(rows: [name: string, lines: string[]][], screen: Screen): string[] {
  const width = Math.max(0, ...rows.map(([name]) => measureWidth(name))) + 2;
  return rows.flatMap(([name, lines]) =>
    lines.map((line, i) => `${i === 0 ? screen.paint('dim', padRight(name, width)) : ' '.repeat(width)}${line}`),
  );
}
