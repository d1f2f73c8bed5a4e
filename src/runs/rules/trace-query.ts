import type { TraceLine } from '../model/trace.ts';
import { checksOf, factsOf, type LineFacts, textOf } from './trace-facts.ts';

export interface TraceFilter {
  event?: string | undefined;
  /** Its name, or its place in the order of the construct. */
  phase?: string | undefined;
  skill?: string | undefined;
  /** As the event says it; `failed` and `passed` also of whatever it calls them. */
  status?: string | undefined;
  gate?: string | undefined;
  /** From here on, and before there. */
  since?: string | undefined;
  until?: string | undefined;
}

export const groupings = ['event', 'phase', 'skill', 'status', 'class', 'exitCode', 'gate', 'check', 'run', 'day', 'month'] as const;
export type Grouping = (typeof groupings)[number];

export type TraceGroup = { [K in Grouping]?: string } & {
  count: number;
  failed: number;
  failureRate: number | null;
  medianMs: number | null;
};

/** Whether a line is of the phase that is asked for. A number means the phase in that place, unless one of the construct is called so; the
 *  order is told where a run begins or goes on, so that the lines of a trace have to come in theirs. */
export function phaseSeeker(asked: string | undefined): (line: TraceLine) => boolean {
  if (asked === undefined) return () => true;
  const place = /^[1-9]\d{0,3}$/.test(asked) ? Number(asked) : undefined;
  let name: string | undefined = asked;
  return (line) => {
    if (place !== undefined && ['run_started', 'run_resumed'].includes(line.event)) {
      const order = Array.isArray(line.data.order) ? line.data.order : [];
      name = order.includes(asked) ? asked : textOf(order[place - 1]);
    }
    return name !== undefined && line.phase === name;
  };
}

export function matches(line: TraceLine, filter: TraceFilter, facts: LineFacts = factsOf(line)): boolean {
  const { event, skill, status, gate, since, until } = filter;
  if (event !== undefined && line.event !== event) return false;
  if (skill !== undefined && line.skill !== skill) return false;
  if (gate !== undefined && facts.gate !== gate) return false;
  if (since !== undefined && line.ts < since) return false;
  if (until !== undefined && line.ts >= until) return false;
  return status === undefined || isStatus(status, facts);
}

const isStatus = (wanted: string, { status, isFailed }: Pick<LineFacts, 'status' | 'isFailed'>): boolean =>
  status === wanted || (wanted === 'failed' && isFailed === true) || (wanted === 'passed' && isFailed === false);

/** What is counted where nobody says: executions; where it is about gates, gates. */
export const countedEvent = ({ event, gate }: TraceFilter, by: Grouping[]): string =>
  event ?? (gate !== undefined || by.includes('gate') || by.includes('check') ? 'gate_checked' : 'execution_complete');

interface Tally {
  keys: string[];
  count: number;
  judged: number;
  failed: number;
  took: number[];
}

/** Events counted by what they have in common: a fold, so that no trace has to be kept. By check, each check of a gate counts for itself. */
export function countingBy(by: Grouping[], filter: TraceFilter): { step(line: TraceLine): void; end(): TraceGroup[] } {
  const event = countedEvent(filter, by);
  const { status, ...rest } = filter;
  const tallies = new Map<string, Tally>();
  const add = (line: TraceLine, facts: LineFacts, check?: string): void => {
    const keys = by.map((name) => keyOf(name, line, facts, check));
    const key = JSON.stringify(keys);
    const tally = tallies.get(key) ?? { keys, count: 0, judged: 0, failed: 0, took: [] };
    tallies.set(key, tally);
    tally.count += 1;
    if (facts.isFailed !== undefined) tally.judged += 1;
    if (facts.isFailed) tally.failed += 1;
    if (facts.durationMs !== undefined) tally.took.push(facts.durationMs);
  };
  return {
    step(line) {
      if (line.event !== event) return;
      const facts = factsOf(line);
      if (!matches(line, { ...rest, event }, facts)) return;
      if (!by.includes('check')) {
        if (status === undefined || isStatus(status, facts)) add(line, facts);
        return;
      }
      for (const { name, isPassed } of checksOf(line.data)) {
        const of = { ...facts, status: isPassed ? 'passed' : 'failed', isFailed: !isPassed };
        if (status === undefined || isStatus(status, of)) add(line, of, name);
      }
    },
    end: () =>
      [...tallies.values()]
        .sort((a, b) => b.failed - a.failed || b.count - a.count || (a.keys.join('\n') < b.keys.join('\n') ? -1 : 1))
        .map(({ keys, count, judged, failed, took }) => ({
          ...(Object.fromEntries(by.map((name, i) => [name, keys[i]!])) as { [K in Grouping]?: string }),
          count,
          failed,
          failureRate: judged === 0 ? null : Math.round((failed / judged) * 10_000) / 10_000,
          medianMs: median(took),
        })),
  };
}

function keyOf(name: Grouping, line: TraceLine, facts: LineFacts, check: string | undefined): string {
  switch (name) {
    case 'check':
      return check ?? '';
    case 'day':
      return line.ts.slice(0, 10);
    case 'month':
      return line.ts.slice(0, 7);
    case 'status':
      return facts.status ?? '';
    case 'class':
      return facts.class ?? '';
    case 'gate':
      return facts.gate ?? '';
    case 'exitCode':
      return facts.exitCode === undefined ? '' : String(facts.exitCode);
    case 'run':
      return textOf(line.run_id) ?? '';
    default:
      return textOf(line[name]) ?? '';
  }
}

function median(all: number[]): number | null {
  if (all.length === 0) return null;
  const sorted = all.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : Math.round((sorted[middle - 1]! + sorted[middle]!) / 2);
}

/** `30d` before now, a year, a month, a day or a moment, or one by its distance from now (`last month`): where it begins and where it is
 *  over. Undefined for what is none of these. */
export function periodOf(text: string, now: string): { from: string; to: string } | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count && unit) {
    const at = new Date(Date.parse(now) - Number(count) * minutes[unit]! * 60_000).toISOString();
    return { from: at, to: at };
  }
  const [, which, span] = /^(?:(this|last)[ -](week|month|year)|today|yesterday)$/.exec(text) ?? [];
  if (span || text === 'today' || text === 'yesterday') {
    const back = which === 'last' || text === 'yesterday' ? 1 : 0;
    return { from: beginning(now, span, -back), to: beginning(now, span, 1 - back) };
  }
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  const from = Date.parse(year ? `${year}-${month ?? '01'}-${day ?? '01'}T00:00:00.000Z` : text);
  if (Number.isNaN(from) || (!year && !/^\d{4}-\d\d-\d\dT/.test(text))) return undefined;
  if (!year) return { from: iso(from), to: iso(from) };
  const to = day ? from + 86_400_000 : Date.UTC(Number(year) + (month ? 0 : 1), month ? Number(month) : 0, 1);
  return { from: iso(from), to: iso(to) };
}

/** Of the day, week (from Monday on), month or year that lies so many of them after that of `now`. */
function beginning(now: string, span: string | undefined, ahead: number): string {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (span === 'year') return iso(Date.UTC(year + ahead, 0, 1));
  if (span === 'month') return iso(Date.UTC(year, month + ahead, 1));
  return iso(Date.UTC(year, month, span === 'week' ? day - ((at.getUTCDay() + 6) % 7) + 7 * ahead : day + ahead));
}

const minutes: Record<string, number> = { m: 1, h: 60, d: 1440, w: 10_080 };
const iso = (ms: number): string => new Date(ms).toISOString();
