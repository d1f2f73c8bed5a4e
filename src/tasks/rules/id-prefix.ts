/** The highest number a task can have: both databases keep it in 32 bits. */
const highest = 2 ** 31 - 1;

export interface Range {
  from: number;
  to: number;
}

/** Which numbers have ids that begin with these digits, as ranges in ascending order. 14 means 14, 140-149, 1400-1499 …;
 *  with zeros in front it is meant as it is printed: 01 is the beginning of T010-T019, and names T001. */
export function idRanges(digits: string): Range[] {
  const n = Number(digits);
  const ranges: Range[] = [{ from: n, to: n }];
  if (digits.startsWith('0')) {
    if (digits.length < 3) ranges.push({ from: Math.max(n + 1, Number(digits.padEnd(3, '0'))), to: Number(digits.padEnd(3, '9')) });
  } else
    for (let width = 10; n * width <= highest; width *= 10) ranges.push({ from: n * width, to: Math.min(n * width + width - 1, highest) });
  return ranges.filter(({ from, to }) => to > 0 && from <= highest);
}
