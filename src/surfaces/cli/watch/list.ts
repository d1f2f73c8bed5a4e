import { formatId, getMark, listCardFacts, measureWidth, padRight, type Screen, toOneLine, truncate } from '#core/terminal/index.ts';
import { listVisibleRows, type WatchRow, type WatchState } from './state.ts';
import { getWindowStart, selectionMark } from './window.ts';

/** Draws a line for each task, with the selected one near the middle. */
export function drawList(state: WatchState, screen: Screen, height: number): string[] {
  const all = listVisibleRows(state);
  const first = getWindowStart(state.row, height, all.length);
  const rows = all.slice(first, first + height);
  const idWidth = Math.max(...rows.map((row) => measureWidth(formatId(row))));
  return rows.map((row, i) => drawRow(row, first + i === state.row, idWidth, screen));
}

function drawRow(row: WatchRow, isSelected: boolean, idWidth: number, screen: Screen): string {
  const { paint, columns } = screen;
  const mark = getMark(row.status);
  const status = mark?.colour ? paint(mark.colour, mark.text) : (mark?.text ?? ' ');
  const room = columns - idWidth - 5;
  // The facts get at most a third of the line, so that the title stays readable.
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
  return `${isSelected ? paint('cyan', selectionMark) : ' '}${status} ${paint('cyan', padRight(formatId(row), idWidth))}  ${isSelected ? paint('bold', title) : title}${facts.join(' ')}`;
}
