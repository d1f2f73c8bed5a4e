import { genesis, parseTrace } from './trace.ts';

export interface TraceVerification {
  /** Number of readable events. */
  lines: number;
  head: string;
  /** The first line that is not as it was written. */
  broken?: { line: number; problem: string };
  warnings: string[];
  /** Number of lines from the start that are as they were written. */
  intactLines: number;
  /** Hash of the last intact line. */
  intactHead: string;
}

/** Verifies that a trace is as it was written. A hash chain does not protect its own end, so `recorded` holds the end that the run noted
 *  elsewhere. Lines may follow it, because a run continues after each note. */
export function verifyTrace(
  { text, invalidLine }: { text: string; invalidLine?: number },
  hash: (line: string) => string,
  recorded?: { head: string | null; lines: number },
): TraceVerification {
  const hashes: string[] = [];
  const { lines, problems, firstInvalid, head } = parseTrace(text, (line) => {
    const digest = hash(line);
    hashes.push(digest);
    return digest;
  });
  const broken = [
    ...(firstInvalid === undefined ? [] : [{ line: firstInvalid, problem: describeProblem(firstInvalid) }]),
    ...(invalidLine === undefined ? [] : [{ line: invalidLine, problem: 'is not UTF-8' }]),
    ...checkEnd(),
  ].sort((one, other) => one.line - other.line)[0];
  const intactLines = broken ? countIntactLines(broken.line) : hashes.length;
  return {
    lines: lines.length,
    head,
    ...(broken ? { broken } : {}),
    warnings: problems.filter(({ line }) => line !== broken?.line).map(({ line, problem }) => `line ${line} ${problem}`),
    intactLines,
    intactHead: hashes[intactLines - 1] ?? genesis,
  };

  function describeProblem(line: number): string {
    const known = problems.find((one) => one.line === line);
    if (known) return known.problem;
    const [current, before] = [findEvent(line), findEvent(line - 1)];
    return current && current.seq !== (before?.seq ?? 0) + 1
      ? `has sequence number ${current.seq} instead of ${(before?.seq ?? 0) + 1}`
      : 'does not match the hash of the line before it: one of the two was changed';
  }

  function findEvent(line: number) {
    return lines.find(({ number }) => number === line)?.line;
  }

  function checkEnd(): { line: number; problem: string }[] {
    if (!recorded?.head || recorded.head === genesis) return [];
    const at = lines.find(({ line }) => line.seq === recorded.lines);
    if (!at) return [{ line: hashes.length + 1, problem: `is missing: the run wrote ${recorded.lines} lines` }];
    return hashes[at.number - 1] === recorded.head ? [] : [{ line: at.number, problem: 'is not the last line that the run recorded' }];
  }

  /** If the next line confirms `line`, but `line` does not match the one before, the one before was changed. */
  function countIntactLines(line: number): number {
    const current = findEvent(line);
    const isInOrder = current !== undefined && current.seq === (findEvent(line - 1)?.seq ?? 0) + 1;
    const isConfirmed = findEvent(line + 1)?.prev === hashes[line - 1] || recorded?.head === hashes[line - 1];
    const isUnlinked = current !== undefined && line > 1 && current.prev !== hashes[line - 2];
    return isInOrder && isConfirmed && isUnlinked ? line - 2 : line - 1;
  }
}
