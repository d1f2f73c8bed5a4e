import { defined, isPlainObject } from '#lib/collections.ts';
import { isDeeperThan, parseJson } from '#lib/parse-json.ts';
import type { TraceLine } from '../model/trace.ts';

interface ParsedTrace {
  lines: { number: number; line: TraceLine }[];
  /** Lines that are not events; the other lines are read. */
  problems: { line: number; problem: string }[];
  /** The first line that is not as it was written. */
  firstInvalid?: number;
  /** Hash of the last complete line. The next line refers to it, and the run records it as its end. */
  head: string;
}

export const genesis = 'genesis';
/** Deeper events are rejected, because writing them again would overflow the stack. */
const maxEventDepth = 1000;

/** Parses a trace and follows its hash chain. A last line without a line end was cut off while it was written, and is skipped. */
export function parseTrace(text: string, hash: (line: string) => string): ParsedTrace {
  const all = text.split('\n');
  const rest = all.pop() ?? '';
  const trace: ParsedTrace = { lines: [], problems: [], head: genesis };
  let seq = 0;
  let bare: Partial<TraceLine> = {};
  all.forEach((raw, i) => {
    const number = i + 1;
    const { line: parsed, link, problem } = parseLine(raw);
    const line = parsed && link === undefined ? toFullLine(parsed, number, bare) : parsed;
    if (line && link === undefined) bare = line.event === 'execution_complete' ? {} : line;
    if (problem !== undefined) trace.problems.push({ line: number, problem });
    if (link === undefined || link.prev !== trace.head || link.seq !== seq + 1) trace.firstInvalid ??= number;
    seq = link?.seq ?? seq;
    if (line) trace.lines.push({ number, line });
    trace.head = hash(raw);
  });
  if (rest !== '') trace.problems.push({ line: all.length + 1, problem: 'was cut off while it was written and is skipped' });
  return trace;
}

/** Parses the events of a trace without verifying the hash chain. */
export const parseEvents = (text: string): Pick<ParsedTrace, 'lines' | 'problems'> => parseTrace(text, () => genesis);

interface ParsedLine {
  line?: TraceLine;
  /** Position in the hash chain. */
  link?: { prev: unknown; seq: number };
  problem?: string;
}

/** Parses one line. A line of a later format version is not read, but keeps its position in the chain. */
function parseLine(raw: string): ParsedLine {
  const value = parseJson(raw);
  if (value === undefined) return { problem: /\}\s*\{/.test(raw) ? 'holds more than one event' : 'is not an event' };
  if (!isPlainObject(value)) return { problem: 'is not an event' };
  const { ts, event, data, v, seq, prev } = value;
  const isEvent = typeof event === 'string' && typeof ts === 'string' && !Number.isNaN(Date.parse(ts)) && isPlainObject(data);
  // Other programs write only `ts`, `event` and `data`. Such a line is read, but nothing protects it from changes.
  if (isEvent && seq === undefined && prev === undefined) return { line: value as unknown as TraceLine };
  if (!Number.isSafeInteger(seq)) return { problem: 'is not an event' };
  const link = { prev, seq: seq as number };
  if (raw.length > 2 * maxEventDepth && isDeeperThan(value, maxEventDepth)) return { link, problem: 'is nested too deeply' };
  if (typeof v === 'number' && v > 1) return { link, problem: `has version ${v}, which this version of cleo does not support` };
  if (!isEvent) return { problem: 'is not an event' };
  return { link, line: value as unknown as TraceLine };
}

/** Completes a line that has only `ts`, `event` and `data`. The skill and the execution are those of its data, or of the last invocation. */
function toFullLine({ ts, event, data, ...given }: TraceLine, number: number, last: Partial<TraceLine>): TraceLine {
  const getText = (...names: string[]): string | undefined =>
    names.map((name) => data[name]).find((value): value is string => typeof value === 'string' && value !== '');
  const isNew = event === 'skill_invoked';
  return {
    ...defined({
      execution_id: getText('execution_id') ?? (isNew ? `line-${number}` : last.execution_id),
      phase: getText('phase') ?? (isNew ? undefined : last.phase),
      skill: getText('skill_id', 'skill') ?? (isNew ? undefined : last.skill),
    }),
    ...given,
    ts,
    event,
    data,
    v: 1,
    seq: number,
    run_id: typeof given.run_id === 'string' ? given.run_id : '',
    prev: '',
  };
}

/** Formats the next line of a trace with the hash of the previous one. Its time is never earlier than that of the previous line, even if
 *  the clock was set back. */
export function formatNextLine(
  previous: { head: string; lines: number; ts: string },
  event: Omit<TraceLine, 'prev' | 'seq' | 'v'>,
): { text: string; ts: string } {
  const ts = event.ts < previous.ts ? previous.ts : event.ts;
  const { event: name, data, run_id, ...about } = event;
  const line: TraceLine = { ts, event: name, data, v: 1, seq: previous.lines + 1, run_id, ...dropEmpty(about), prev: previous.head };
  return { text: JSON.stringify(line), ts };
}

const dropEmpty = (about: Partial<TraceLine>): Partial<TraceLine> =>
  Object.fromEntries(Object.entries(about).filter(([name, value]) => name !== 'ts' && value !== undefined && value !== null));

/** Events after which the trace must be flushed to disk. */
export const isMilestone = (event: string): boolean =>
  ['gate_checked', 'handoff_attempted', 'execution_complete', 'run_completed', 'review_resolved', 'score_recorded'].includes(event);

/** The maximum size of a trace line's data, in UTF-16 units of its JSON. */
export const maxPayloadLength = 32 * 1024;

/** Replaces large parts of `data` by references: first long texts at any depth, then top-level values that are still too large. `store`
 *  saves a text and returns its name. */
export function extractPayloads(data: Record<string, unknown>, store: (text: string) => string): Record<string, unknown> {
  if (JSON.stringify(data).length <= maxPayloadLength) return data;
  const refer = (text: string, kind: 'text' | 'json') => ({ blob: store(text), kind, length: text.length });
  const extract = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length > maxPayloadLength ? refer(value, 'text') : value;
    if (Array.isArray(value)) return value.map(extract);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, extract(item)]));
  };
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const small = extract(value);
      const text = JSON.stringify(small) ?? 'null';
      return [name, text.length > maxPayloadLength ? refer(text, 'json') : small];
    }),
  );
}
