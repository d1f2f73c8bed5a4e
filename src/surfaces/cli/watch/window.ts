import { measureWidth, truncate } from '#core/terminal/index.ts';

/** Returns the first visible line of a long list, with the selected line near the middle. */
export const getWindowStart = (chosen: number, shown: number, count: number): number =>
  Math.max(0, Math.min(chosen - Math.floor(shown / 2), count - shown));

/** Marks the selection, so that it is visible without colours too. */
export const selectionMark = '▌';

/** Truncates a painted line and keeps its colour codes. */
export function truncatePainted(line: string, width: number): string {
  if (measureWidth(line) <= width) return line;
  let left = width;
  let isCut = false;
  return (line.match(/\u001b\[\d+m|[^\u001b]+/g) ?? [])
    .map((part) => {
      if (part.startsWith('\u001b')) return part;
      if (isCut) return '';
      const shown = truncate(part, left);
      isCut = shown !== part;
      left -= measureWidth(shown);
      return shown;
    })
    .join('');
}
