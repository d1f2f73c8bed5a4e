import { factsOf } from '../human/board.ts';
import { idOf, markOf } from '../human/cell.ts';
import type { Screen } from '../human/screen.ts';
import { cut, oneLine, pad, widthOf } from '../human/text.ts';
import { type Row, type State, shownRows } from './state.ts';
import { marker, windowFrom } from './window.ts';

/** One line for each task, the chosen one near the middle. */
export function listBody(state: State, screen: Screen, height: number): string[] {
  const all = shownRows(state);
  const first = windowFrom(state.row, height, all.length);
  const rows = all.slice(first, first + height);
  const idWidth = Math.max(...rows.map((row) => widthOf(idOf(row))));
  return rows.map((row, i) => rowLine(row, first + i === state.row, idWidth, screen));
}

function rowLine(row: Row, isChosen: boolean, idWidth: number, screen: Screen): string {
  const { paint, columns } = screen;
  const mark = markOf(row.status);
  const status = mark?.colour ? paint(mark.colour, mark.text) : (mark?.text ?? ' ');
  const room = columns - idWidth - 5;
  // A title is to be known by; what else is said of it has a third of the line at most.
  const facts: string[] = [];
  let used = 0;
  for (const { text, colour } of factsOf(row, screen)) {
    const shown = cut(text, Math.max(0, Math.floor(room / 3) - used));
    if (shown === '' || shown === '…') break;
    facts.push(paint(colour ?? 'dim', shown));
    used += widthOf(shown) + 1;
  }
  const area = used > 0 ? room - used + 1 : room;
  const title = pad(cut(oneLine(row.title), used > 0 ? area - 1 : area), area);
  return `${isChosen ? paint('cyan', marker) : ' '}${status} ${paint('cyan', pad(idOf(row), idWidth))}  ${isChosen ? paint('bold', title) : title}${facts.join(' ')}`;
}
