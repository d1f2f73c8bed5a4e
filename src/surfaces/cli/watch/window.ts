import { cut, widthOf } from '../human/text.ts';

/** Which part of a long list is seen, with what is chosen near the middle of it: where it begins. */
export const windowFrom = (chosen: number, shown: number, count: number): number =>
  Math.max(0, Math.min(chosen - Math.floor(shown / 2), count - shown));

/** Stands before what is chosen, so that it is seen without colours too. */
export const marker = '▌';

/** At most this wide, whatever it is painted with. */
export function clip(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  let left = width;
  let isCut = false;
  return (line.match(/\u001b\[\d+m|[^\u001b]+/g) ?? [])
    .map((part) => {
      if (part.startsWith('\u001b')) return part;
      if (isCut) return '';
      const shown = cut(part, left);
      isCut = shown !== part;
      left -= widthOf(shown);
      return shown;
    })
    .join('');
}
