import { parseAgo } from '#lib/ago.ts';
import { median } from '#lib/statistics.ts';
import type { TraceLine } from '../model/trace.ts';
import { asText, type LineFacts, listRecordedChecks, toLineFacts } from './trace-facts.ts';

export interface TraceFilter {
  event?: string | undefined;
  /** The name of the phase, or its position in the construct. */
  phase?: string | undefined;
  skill?: string | undefined;
  /** The status of the event; `failed` and `passed` match any failure or success. */
  status?: string | undefined;
  gate?: string | undefined;
  /** From `since` (inclusive) to `until` (exclusive). */
  since?: string | undefined;
  until?: string | undefined;
}

export const groupings = ['event', 'phase', 'skill', 'status', 'class', 'exitCode', 'gate', 'check', 'run', 'day', 'month'] as const;
export type Grouping = (typeof groupings)[number];

type TraceGroup = { [K in Grouping]?: string } & {
  count: number;
  failed: number;
  failureRate: number | null;
  medianMs: number | null;
};

/** Creates a filter for the lines of one phase. A number selects the phase at that position, unless a phase has that name. The order of
 *  phases is in the events that start or resume a run, so lines must be passed in order. */
export function createPhaseFilter(phase: string | undefined): (line: TraceLine) => boolean {
  if (phase === undefined) return () => true;
  const position = /^[1-9]\d{0,3}$/.test(phase) ? Number(phase) : undefined;
  let name: string | undefined = phase;
  return (line) => {
    if (position !== undefined && ['run_started', 'run_resumed'].includes(line.event)) {
      const order = Array.isArray(line.data.order) ? line.data.order : [];
      name = order.includes(phase) ? phase : asText(order[position - 1]);
    }
    return name !== undefined && line.phase === name;
  };
}

export function matchesFilter(line: TraceLine, filter: TraceFilter, facts: LineFacts = toLineFacts(line)): boolean {
  const { event, skill, status, gate, since, until } = filter;
  if (event !== undefined && line.event !== event) return false;
  if (skill !== undefined && line.skill !== skill) return false;
  if (gate !== undefined && facts.gate !== gate) return false;
  if (since !== undefined && line.ts < since) return false;
  if (until !== undefined && line.ts >= until) return false;
  return status === undefined || hasStatus(status, facts);
}

const hasStatus = (filter: string, { status, isFailed }: Pick<LineFacts, 'status' | 'isFailed'>): boolean =>
  status === filter || (filter === 'failed' && isFailed === true) || (filter === 'passed' && isFailed === false);

/** The event that is counted by default: gates if the query is about gates, otherwise executions. */
export const getCountedEvent = ({ event, gate }: TraceFilter, by: Grouping[]): string =>
  event ?? (gate !== undefined || by.includes('gate') || by.includes('check') ? 'gate_checked' : 'execution_complete');

interface Tally {
  keys: string[];
  count: number;
  judged: number;
  failed: number;
  durations: number[];
}

/** Counts events in groups. It is a fold, so that traces are not held in memory. When grouped by check, each check of a gate counts. */
export function countBy(by: Grouping[], filter: TraceFilter): { step(line: TraceLine): void; end(): TraceGroup[] } {
  const event = getCountedEvent(filter, by);
  const { status, ...rest } = filter;
  const tallies = new Map<string, Tally>();
  const add = (line: TraceLine, facts: LineFacts, check?: string): void => {
    const keys = by.map((name) => getGroupKey(name, line, facts, check));
    const key = JSON.stringify(keys);
    const tally = tallies.get(key) ?? { keys, count: 0, judged: 0, failed: 0, durations: [] };
    tallies.set(key, tally);
    tally.count += 1;
    if (facts.isFailed !== undefined) tally.judged += 1;
    if (facts.isFailed) tally.failed += 1;
    if (facts.durationMs !== undefined) tally.durations.push(facts.durationMs);
  };
  return {
    step(line) {
      if (line.event !== event) return;
      const facts = toLineFacts(line);
      if (!matchesFilter(line, { ...rest, event }, facts)) return;
      if (!by.includes('check')) {
        if (status === undefined || hasStatus(status, facts)) add(line, facts);
        return;
      }
      for (const { name, isPassed } of listRecordedChecks(line.data)) {
        const checkFacts = { ...facts, status: isPassed ? 'passed' : 'failed', isFailed: !isPassed };
        if (status === undefined || hasStatus(status, checkFacts)) add(line, checkFacts, name);
      }
    },
    end: () =>
      [...tallies.values()]
        .sort((a, b) => b.failed - a.failed || b.count - a.count || (a.keys.join('\n') < b.keys.join('\n') ? -1 : 1))
        .map(({ keys, count, judged, failed, durations }) => ({
          ...(Object.fromEntries(by.map((name, i) => [name, keys[i]!])) as { [K in Grouping]?: string }),
          count,
          failed,
          failureRate: judged === 0 ? null : Math.round((failed / judged) * 10_000) / 10_000,
          medianMs: durations.length === 0 ? null : Math.round(median(durations)!),
        })),
  };
}

function getGroupKey(name: Grouping, line: TraceLine, facts: LineFacts, check: string | undefined): string {
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
      return asText(line.run_id) ?? '';
    default:
      return asText(line[name]) ?? '';
  }
}

/** Parses a period: `30d` before now, a year, month, day or timestamp, or a relative one such as `last month`. Undefined if the text is
 *  none of these. */
export function parsePeriod(text: string, now: string): { from: string; to: string } | undefined {
  if (/^\d{1,6}[mhdw]$/.test(text)) {
    const at = parseAgo(now, text);
    return { from: at, to: at };
  }
  const [, which, span] = /^(?:(this|last)[ -](week|month|year)|today|yesterday)$/.exec(text) ?? [];
  if (span || text === 'today' || text === 'yesterday') {
    const back = which === 'last' || text === 'yesterday' ? 1 : 0;
    return { from: getPeriodStart(now, span, -back), to: getPeriodStart(now, span, 1 - back) };
  }
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  const from = Date.parse(year ? `${year}-${month ?? '01'}-${day ?? '01'}T00:00:00.000Z` : text);
  if (Number.isNaN(from) || (!year && !/^\d{4}-\d\d-\d\dT/.test(text))) return undefined;
  if (!year) return { from: toIso(from), to: toIso(from) };
  const to = day ? from + 86_400_000 : Date.UTC(Number(year) + (month ? 0 : 1), month ? Number(month) : 0, 1);
  return { from: toIso(from), to: toIso(to) };
}

/** The start of the day, week (from Monday), month or year that is `ahead` periods after that of `now`. */
function getPeriodStart(now: string, span: string | undefined, ahead: number): string {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (span === 'year') return toIso(Date.UTC(year + ahead, 0, 1));
  if (span === 'month') return toIso(Date.UTC(year, month + ahead, 1));
  return toIso(Date.UTC(year, month, span === 'week' ? day - ((at.getUTCDay() + 6) % 7) + 7 * ahead : day + ahead));
}

const toIso = (ms: number): string => new Date(ms).toISOString();
