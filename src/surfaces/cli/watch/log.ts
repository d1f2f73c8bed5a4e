import { measureWidth, padRight, type Screen, toOneLine, truncate } from '#core/terminal/index.ts';
import { listVisibleEntries, type WatchEntry, type WatchState } from './state.ts';
import { getWindowStart, selectionMark } from './window.ts';

/** Draws the log, newest entry first. */
export function drawLog(state: WatchState, screen: Screen, height: number): string[] {
  const all = listVisibleEntries(state);
  const first = getWindowStart(state.entry, height, all.length);
  const entries = all.slice(first, first + height);
  const widest = (text: (entry: WatchEntry) => string, most: number): number =>
    Math.min(most, Math.max(...entries.map((entry) => measureWidth(text(entry)))));
  const widths = {
    time: widest((entry) => formatEntryTime(entry, screen.now), 14),
    agent: widest(({ agent }) => toOneLine(agent), 16),
    operation: widest(({ operation }) => toOneLine(operation), 24),
  };
  return entries.map((entry, i) => {
    const line = drawEntry(entry, widths, screen);
    return first + i === state.entry ? `${screen.paint('cyan', selectionMark)}${line}` : ` ${line}`;
  });
}

function drawEntry(entry: WatchEntry, widths: { time: number; agent: number; operation: number }, { paint, now }: Screen): string {
  const cell = (text: string, width: number): string => padRight(truncate(toOneLine(text), width), width);
  return [
    paint('dim', cell(formatEntryTime(entry, now), widths.time)),
    entry.success ? paint('green', '✓') : paint('red', '✗'),
    paint('cyan', cell(entry.agent, widths.agent)),
    cell(entry.operation, widths.operation),
    entry.success ? formatOutcome(entry) : paint('red', toOneLine(String(entry.errorCode ?? ''))),
  ].join(' ');
}

/** Formats the first ids that an entry created, updated and deleted. */
export function formatOutcome({ created = [], updated = [], deleted = [] }: WatchEntry): string {
  return Object.entries({ created, updated, deleted })
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => `${what} ${ids.slice(0, 3).map(toOneLine).join(' ')}${ids.length > 3 ? ` and ${ids.length - 3} more` : ''}`)
    .join(', ');
}

/** Formats a time of today to the second, any other to the minute with its date. */
const formatEntryTime = ({ timestamp }: WatchEntry, now: string): string =>
  timestamp.slice(0, 10) === now.slice(0, 10) ? timestamp.slice(11, 19) : timestamp.slice(5, 16).replace('T', ' ');
