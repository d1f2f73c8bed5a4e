import type { TraceLine } from '../model/trace.ts';

export interface TraceReading {
  lines: { number: number; line: TraceLine }[];
  /** What is no event, by line; the rest is read all the same. */
  problems: { line: number; problem: string }[];
  /** The first line that is not the one that was written there. */
  firstBad?: number;
  /** The hash of the last whole line: what the next would name, and what the run keeps of its end. */
  head: string;
}

export const genesis = 'genesis';

/** The events of a trace, and whether they are still those that were written. A last line without an end was cut off while it was
 *  written, and is none. */
export function readTrace(text: string, hash: (line: string) => string): TraceReading {
  const all = text.split('\n');
  const torn = all.pop() ?? '';
  const found: TraceReading = { lines: [], problems: [], head: genesis };
  let seq = 0;
  all.forEach((raw, i) => {
    const number = i + 1;
    const line = parse(raw);
    if (typeof line === 'string') {
      found.problems.push({ line: number, problem: line });
      found.firstBad ??= number;
    } else {
      seq += 1;
      if (line.prev !== found.head || line.seq !== seq) found.firstBad ??= number;
      seq = line.seq;
      found.lines.push({ number, line });
    }
    found.head = hash(raw);
  });
  if (torn !== '') found.problems.push({ line: all.length + 1, problem: 'was cut off while it was written, and is left out' });
  return found;
}

/** An event of our time, or why it is none. */
function parse(raw: string): TraceLine | string {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return /\}\s*\{/.test(raw) ? 'holds more than one event' : 'is no event';
  }
  if (typeof value !== 'object' || value === null || !('event' in value) || !('seq' in value)) return 'is no event';
  const { v } = value as { v?: unknown };
  return typeof v === 'number' && v > 1 ? `is of version ${v}, which this cleo does not know` : (value as TraceLine);
}

/** Line by line, each with the hash of the one before; time never goes back, whatever the clock does. */
export function nextLine(
  after: { head: string; lines: number; ts: string },
  event: Omit<TraceLine, 'prev' | 'seq' | 'v'>,
): { text: string; ts: string } {
  const ts = event.ts < after.ts ? after.ts : event.ts;
  const { event: name, data, run_id, ...about } = event;
  const line: TraceLine = { ts, event: name, data, v: 1, seq: after.lines + 1, run_id, ...defined(about), prev: after.head };
  return { text: JSON.stringify(line), ts };
}

const defined = (about: Partial<TraceLine>): Partial<TraceLine> =>
  Object.fromEntries(Object.entries(about).filter(([name, value]) => name !== 'ts' && value !== undefined && value !== null));

/** Events after which everything that was written has to be on disk. */
export const isMilestone = (event: string): boolean =>
  event === 'gate_checked' || event === 'handoff_attempted' || event.endsWith('_complete') || event.endsWith('_completed');
