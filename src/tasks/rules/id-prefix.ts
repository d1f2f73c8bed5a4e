/** Both databases store task numbers in 32 bits. */
const maxTaskNumber = 2 ** 31 - 1;

interface IdRange {
  from: number;
  to: number;
}

/** Lists the task numbers whose ids begin with these digits, as ascending ranges. 14 matches 14, 140-149, 1400-1499 …; leading zeros
 *  match the printed form: 01 matches T001 and T010-T019. */
export function listIdRanges(digits: string): IdRange[] {
  const n = Number(digits);
  const ranges: IdRange[] = [{ from: n, to: n }];
  if (digits.startsWith('0')) {
    if (digits.length < 3) ranges.push({ from: Math.max(n + 1, Number(digits.padEnd(3, '0'))), to: Number(digits.padEnd(3, '9')) });
  } else
    for (let width = 10; n * width <= maxTaskNumber; width *= 10)
      ranges.push({ from: n * width, to: Math.min(n * width + width - 1, maxTaskNumber) });
  return ranges.filter(({ from, to }) => to > 0 && from <= maxTaskNumber);
}
