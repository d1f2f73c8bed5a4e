import type { Screen } from '../human/screen.ts';
import { cut, oneLine, pad, widthOf } from '../human/text.ts';
import { type Entry, type State, shownEntries } from './state.ts';
import { marker, windowFrom } from './window.ts';

/** Who did what, newest first. */
export function logBody(state: State, screen: Screen, height: number): string[] {
  const all = shownEntries(state);
  const first = windowFrom(state.entry, height, all.length);
  const entries = all.slice(first, first + height);
  const widest = (text: (entry: Entry) => string, most: number): number =>
    Math.min(most, Math.max(...entries.map((entry) => widthOf(text(entry)))));
  const widths = {
    time: widest((entry) => timeIn(entry, screen.now), 14),
    agent: widest(({ agent }) => oneLine(agent), 16),
    operation: widest(({ operation }) => oneLine(operation), 24),
  };
  return entries.map((entry, i) => {
    const line = entryLine(entry, widths, screen);
    return first + i === state.entry ? `${screen.paint('cyan', marker)}${line}` : ` ${line}`;
  });
}

function entryLine(entry: Entry, widths: { time: number; agent: number; operation: number }, { paint, now }: Screen): string {
  const cell = (text: string, width: number): string => pad(cut(oneLine(text), width), width);
  return [
    paint('dim', cell(timeIn(entry, now), widths.time)),
    entry.success ? paint('green', '✓') : paint('red', '✗'),
    paint('cyan', cell(entry.agent, widths.agent)),
    cell(entry.operation, widths.operation),
    entry.success ? outcome(entry) : paint('red', oneLine(String(entry.errorCode ?? ''))),
  ].join(' ');
}

/** What it touched: the first few of each kind. */
export function outcome({ created = [], updated = [], deleted = [] }: Entry): string {
  return Object.entries({ created, updated, deleted })
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => `${what} ${ids.slice(0, 3).map(oneLine).join(' ')}${ids.length > 3 ? ` and ${ids.length - 3} more` : ''}`)
    .join(', ');
}

/** To the second today, else the day and the minute. */
const timeIn = ({ timestamp }: Entry, now: string): string =>
  timestamp.slice(0, 10) === now.slice(0, 10) ? timestamp.slice(11, 19) : timestamp.slice(5, 16).replace('T', ' ');
