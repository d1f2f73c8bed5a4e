import { listCardFacts } from '#core/terminal/card.ts';
import { formatId, getMark } from '#core/terminal/cell.ts';
import type { Screen } from '#core/terminal/screen.ts';
import { measureWidth, padRight, toOneLine, truncate } from '#core/terminal/text.ts';
import { listRows, type WatchRow, type WatchState } from './state.ts';
import { getWindowStart, selectionMark } from './window.ts';

/** One line for each task, the chosen one near the middle. */
export function drawList(state: WatchState, screen: Screen, height: number): string[] {
  const all = listRows(state);
  const first = getWindowStart(state.row, height, all.length);
  const rows = all.slice(first, first + height);
  const idWidth = Math.max(...rows.map((row) => measureWidth(formatId(row))));
  return rows.map((row, i) => drawRow(row, first + i === state.row, idWidth, screen));
}

function drawRow(row: WatchRow, isChosen: boolean, idWidth: number, screen: Screen): string {
  const { paint, columns } = screen;
  const mark = getMark(row.status);
  const status = mark?.colour ? paint(mark.colour, mark.text) : (mark?.text ?? ' ');
  const room = columns - idWidth - 5;
  // A title is to be known by; what else is said of it has a third of the line at most.
  const facts: string[] = [];
  let used = 0;
  for (const { text, colour } of listCardFacts(row, screen)) {
    const shown = truncate(text, Math.max(0, Math.floor(room / 3) - used));
    if (shown === '' || shown === '…') break;
    facts.push(paint(colour ?? 'dim', shown));
    used += measureWidth(shown) + 1;
  }
  const area = used > 0 ? room - used + 1 : room;
  const title = padRight(truncate(toOneLine(row.title), used > 0 ? area - 1 : area), area);
  return `${isChosen ? paint('cyan', selectionMark) : ' '}${status} ${paint('cyan', padRight(formatId(row), idWidth))}  ${isChosen ? paint('bold', title) : title}${facts.join(' ')}`;
}
