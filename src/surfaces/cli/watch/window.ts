import { measureWidth, truncate } from '#core/terminal/text.ts';

/** Which part of a long list is seen, with what is chosen near the middle of it: where it begins. */
export const getWindowStart = (chosen: number, shown: number, count: number): number =>
  Math.max(0, Math.min(chosen - Math.floor(shown / 2), count - shown));

/** Stands before what is chosen, so that it is seen without colours too. */
export const selectionMark = '▌';

/** At most this wide, whatever it is painted with. */
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
