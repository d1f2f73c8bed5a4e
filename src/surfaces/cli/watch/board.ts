import type { Column } from '#tasks/model/board.ts';
import { cardLines, columnHead, leastWidth } from '../human/board.ts';
import type { Screen } from '../human/screen.ts';
import { pad } from '../human/text.ts';
import type { State } from './state.ts';
import { clip, marker, windowFrom } from './window.ts';

/** Cards that fit below the head of a column, where the last line tells what is left. */
export const cardsIn = (height: number): number => Math.max(1, Math.floor((height - 2) / 2));

/** Where there is room enough titles go on in a second line. */
const roomy = 3;

/** As many columns as can be read side by side; the chosen one is always among them. */
export function boardBody({ columns, column, at, root }: State, screen: Screen, height: number): string[] {
  const shown = Math.max(1, Math.min(columns.length, Math.floor(screen.columns / leastWidth)));
  const first = Math.max(0, Math.min(column - shown + 1, columns.length - shown));
  const width = Math.floor(screen.columns / shown);
  const cardHeight = columns.every(({ cards, count }) => cards.length === count && count * roomy < height) ? roomy : 2;
  const blocks = columns
    .slice(first, first + shown)
    .map((each, i) =>
      columnLines(
        each,
        { at: at[first + i] ?? 0, isChosen: first + i === column, cardHeight, root: root?.id },
        { ...screen, columns: width - 2 },
        height,
      ),
    );
  return Array.from({ length: height }, (_, row) => {
    const line = blocks.map((lines) => pad(lines[row] ?? '', width)).join('');
    if (row > 0) return line.trimEnd();
    const isMore = { left: first > 0, right: first + shown < columns.length };
    return `${isMore.left ? `‹${line.slice(1)}` : line}`.trimEnd() + (isMore.right ? ' ›' : '');
  });
}

interface Drawn {
  at: number;
  isChosen: boolean;
  cardHeight: number;
  root: string | undefined;
}

function columnLines(column: Column, { at, isChosen, cardHeight, root }: Drawn, screen: Screen, height: number): string[] {
  const { cards, count } = column;
  const isWhole = count === cards.length && cards.length * cardHeight < height;
  const fits = isWhole ? cards.length : Math.min(cards.length, cardsIn(height));
  const first = windowFrom(at, fits, cards.length);
  const lines = cards.slice(first, first + fits).flatMap(({ epicId, ...card }, i) => {
    // What all of them are inside of stands above them.
    const shown = epicId && epicId !== root ? { ...card, epicId } : card;
    const [top, ...title] = cardLines(shown, screen.columns, screen, cardHeight - 1);
    if (!isChosen || first + i !== at) return [top, ...title].map((line) => ` ${line}`);
    return [top, ...title.map((line) => screen.paint('bold', line))].map((line) => `${screen.paint('cyan', marker)}${line}`);
  });
  const rest = [first > 0 ? `↑${first}` : '', count > first + fits ? `↓${count - first - fits}` : '']
    .filter((part) => part !== '')
    .join(' ');
  const head = columnHead(column, screen.columns, screen);
  return [` ${head}`, ...lines, ...(rest ? [screen.paint('dim', ` ${rest}`)] : [])].map((line) => clip(line, screen.columns + 1));
}
