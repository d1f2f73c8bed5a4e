import type { TraceLine } from '../model/trace.ts';
import { isDeeperThan } from './primary.ts';

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
/** No event is; and whoever writes it down again would run out of stack. */
const deepest = 1000;

/** The events of a trace, and whether they are still those that were written. A last line without an end was cut off while it was
 *  written, and is none. */
export function readTrace(text: string, hash: (line: string) => string): TraceReading {
  const all = text.split('\n');
  const torn = all.pop() ?? '';
  const found: TraceReading = { lines: [], problems: [], head: genesis };
  let seq = 0;
  all.forEach((raw, i) => {
    const number = i + 1;
    const { line, link, problem } = parse(raw);
    if (problem !== undefined) found.problems.push({ line: number, problem });
    if (link === undefined || link.prev !== found.head || link.seq !== seq + 1) found.firstBad ??= number;
    seq = link?.seq ?? seq;
    if (line) found.lines.push({ number, line });
    found.head = hash(raw);
  });
  if (torn !== '') found.problems.push({ line: all.length + 1, problem: 'was cut off while it was written, and is left out' });
  return found;
}

/** The events of a trace, for who asks what happened and not whether it is still what was written. */
export const eventsIn = (text: string): Pick<TraceReading, 'lines' | 'problems'> => readTrace(text, () => genesis);

interface Parsed {
  line?: TraceLine;
  /** Its place in the chain. */
  link?: { prev: unknown; seq: number };
  problem?: string;
}

/** An event of our time, or why it is none. One of a later time has its place in the chain all the same. */
function parse(raw: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { problem: /\}\s*\{/.test(raw) ? 'holds more than one event' : 'is no event' };
  }
  if (!isObject(value)) return { problem: 'is no event' };
  const { ts, event, data, v, seq, prev } = value;
  if (!Number.isSafeInteger(seq)) return { problem: 'is no event' };
  const link = { prev, seq: seq as number };
  if (raw.length > 2 * deepest && isDeeperThan(value, deepest)) return { link, problem: 'is nested too deep to be read' };
  if (typeof v === 'number' && v > 1) return { link, problem: `is of version ${v}, which this cleo does not know` };
  if (typeof event !== 'string' || typeof ts !== 'string' || Number.isNaN(Date.parse(ts)) || !isObject(data))
    return { problem: 'is no event' };
  return { link, line: value as unknown as TraceLine };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

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
  ['gate_checked', 'handoff_attempted', 'execution_complete', 'run_completed', 'review_resolved', 'score_recorded'].includes(event);
