import { genesis, readTrace } from './trace.ts';

export interface Verified {
  /** Events that could be read. */
  lines: number;
  head: string;
  /** The first line that is not the one that was written there. */
  broken?: { line: number; problem: string };
  warnings: string[];
  /** How many lines from the beginning are those that were written. */
  sound: number;
  /** What a chain that ends there would go on from. */
  soundHead: string;
}

/** Whether a trace is still what was written. A chain does not protect its own end: `kept` is what the run noted of it elsewhere, and
 *  lines may follow it, since a run goes on after each note. */
export function verifyTrace(
  { text, strangeLine }: { text: string; strangeLine?: number },
  hash: (line: string) => string,
  kept?: { head: string | null; lines: number },
): Verified {
  const hashes: string[] = [];
  const { lines, problems, firstBad, head } = readTrace(text, (line) => {
    const of = hash(line);
    hashes.push(of);
    return of;
  });
  const broken = [
    ...(firstBad === undefined ? [] : [{ line: firstBad, problem: problemAt(firstBad) }]),
    ...(strangeLine === undefined ? [] : [{ line: strangeLine, problem: 'is not UTF-8' }]),
    ...atEnd(),
  ].sort((one, other) => one.line - other.line)[0];
  const sound = broken ? soundBefore(broken.line) : hashes.length;
  return {
    lines: lines.length,
    head,
    ...(broken ? { broken } : {}),
    warnings: problems.filter(({ line }) => line !== broken?.line).map(({ line, problem }) => `line ${line} ${problem}`),
    sound,
    soundHead: hashes[sound - 1] ?? genesis,
  };

  function problemAt(line: number): string {
    const said = problems.find((one) => one.line === line);
    if (said) return said.problem;
    const [ctx, before] = [eventAt(line), eventAt(line - 1)];
    return ctx && ctx.seq !== (before?.seq ?? 0) + 1
      ? `has the number ${ctx.seq}, where ${(before?.seq ?? 0) + 1} was to follow`
      : 'does not follow from the line before it: one of the two was changed';
  }

  function eventAt(line: number) {
    return lines.find(({ number }) => number === line)?.line;
  }

  function atEnd(): { line: number; problem: string }[] {
    if (!kept?.head || kept.head === genesis) return [];
    const at = lines.find(({ line }) => line.seq === kept.lines);
    if (!at) return [{ line: hashes.length + 1, problem: `is missing: the run had written ${kept.lines} lines` }];
    return hashes[at.number - 1] === kept.head ? [] : [{ line: at.number, problem: 'is not the one that the run ended with' }];
  }

  /** Where a line is vouched for by what comes after it and yet does not follow from the one before, that one was changed. */
  function soundBefore(line: number): number {
    const ctx = eventAt(line);
    const isInOrder = ctx !== undefined && ctx.seq === (eventAt(line - 1)?.seq ?? 0) + 1;
    const isVouchedFor = eventAt(line + 1)?.prev === hashes[line - 1] || kept?.head === hashes[line - 1];
    const isDisowned = ctx !== undefined && line > 1 && ctx.prev !== hashes[line - 2];
    return isInOrder && isVouchedFor && isDisowned ? line - 2 : line - 1;
  }
}
