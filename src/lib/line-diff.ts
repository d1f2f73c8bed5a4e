/** One line of a comparison. The numbers count from 1 in the text that contains the line. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
  oldNumber?: number;
  newNumber?: number;
}

/** A part of a comparison: lines to show, or the number of unchanged lines that are left out. */
type DiffHunk = { lines: DiffLine[] } | { skipped: number };

/** More edits take too long and help no reader: the texts are compared as a whole. */
const maxDiffEdits = 1500;

/** Compares two texts line by line with the fewest added and removed lines (Myers). Removed lines come before added ones. */
export function diffLines(before: string, after: string, maxEdits = maxDiffEdits): DiffLine[] {
  const [a, b] = [splitLines(before), splitLines(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const lines: DiffLine[] = [];
  let [x, y] = [0, 0];
  const addSame = (until: number): void => {
    for (; x < until; x++, y++) lines.push({ kind: 'same', text: a[x]!, oldNumber: x + 1, newNumber: y + 1 });
  };
  const addChanges = (untilA: number, untilB: number): void => {
    for (; x < untilA; x++) lines.push({ kind: 'removed', text: a[x]!, oldNumber: x + 1 });
    for (; y < untilB; y++) lines.push({ kind: 'added', text: b[y]!, newNumber: y + 1 });
  };
  addSame(start);
  for (const [matchA, matchB, length] of findMatches(a.slice(start, endA), b.slice(start, endB), maxEdits)) {
    addChanges(start + matchA, start + matchB);
    addSame(start + matchA + length);
  }
  addChanges(endA, endB);
  addSame(a.length);
  return lines;
}

/** Leaves out unchanged lines that are further than `context` lines from a change. */
export function toDiffHunks(lines: DiffLine[], context = 3): DiffHunk[] {
  const isShown = new Uint8Array(lines.length);
  for (const [i, { kind }] of lines.entries())
    if (kind !== 'same') isShown.fill(1, Math.max(0, i - context), Math.min(lines.length, i + context + 1));
  const hunks: DiffHunk[] = [];
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (end < lines.length && isShown[end] === isShown[i]) end++;
    // One hidden line takes as much space as the note about it.
    hunks.push(isShown[i] || end - i === 1 ? { lines: lines.slice(i, end) } : { skipped: end - i });
    i = end;
  }
  return hunks;
}

/** A final line break ends the last line; it does not begin another one. */
const splitLines = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

type Match = [startA: number, startB: number, length: number];

/** Finds the equal runs of lines on a shortest path of edits; none if there are more than `maxEdits` edits. */
function findMatches(a: string[], b: string[], maxEdits: number): Match[] {
  const limit = Math.min(maxEdits, a.length + b.length);
  const offset = limit + 1;
  const furthest = new Int32Array(2 * offset + 1);
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    steps.push(furthest.slice(offset - edits, offset + edits + 1));
    for (let k = -edits; k <= edits; k += 2) {
      const isInsertion = k === -edits || (k !== edits && furthest[offset + k - 1]! < furthest[offset + k + 1]!);
      let x = isInsertion ? furthest[offset + k + 1]! : furthest[offset + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[offset + k] = x;
      if (x >= a.length && x - k >= b.length) return readMatches(steps, a.length, b.length);
    }
  }
  return [];
}

/** Follows the path back from its end. `steps[n]` holds the furthest positions on the diagonals -n to n before edit n. */
function readMatches(steps: Int32Array[], lengthA: number, lengthB: number): Match[] {
  const matches: Match[] = [];
  let [x, y] = [lengthA, lengthB];
  for (let edits = steps.length - 1; edits >= 0; edits--) {
    const getFurthest = (k: number): number => steps[edits]![k + edits]!;
    const k = x - y;
    const isInsertion = k === -edits || (k !== edits && getFurthest(k - 1) < getFurthest(k + 1));
    // Before the first edit there is only the run at the start.
    const previousX = edits === 0 ? 0 : getFurthest(isInsertion ? k + 1 : k - 1);
    const startX = edits === 0 ? 0 : isInsertion ? previousX : previousX + 1;
    if (x > startX) matches.push([startX, startX - k, x - startX]);
    [x, y] = [previousX, previousX - (isInsertion ? k + 1 : k - 1)];
  }
  return matches.reverse();
}
