import { drawCard, drawColumnHead, minColumnWidth, padRight, type Screen } from '#core/terminal/index.ts';
import type { Column } from '#tasks/model/board.ts';
import type { WatchState } from './state.ts';
import { getWindowStart, selectionMark, truncatePainted } from './window.ts';

/** Counts the cards that fit below the head of a column, above the line that counts the rest. */
export const countCards = (height: number): number => Math.max(1, Math.floor((height - 2) / 2));

/** The height of a card with two lines for the title, used if all cards fit. */
const tallCardLines = 3;

/** Draws as many columns as fit side by side, including the selected one. */
export function drawBoard({ columns, column, selected, root }: WatchState, screen: Screen, height: number): string[] {
  const shown = Math.max(1, Math.min(columns.length, Math.floor(screen.columns / minColumnWidth)));
  const first = Math.max(0, Math.min(column - shown + 1, columns.length - shown));
  const width = Math.floor(screen.columns / shown);
  const cardHeight = columns.every(({ cards, count }) => cards.length === count && count * tallCardLines < height) ? tallCardLines : 2;
  const blocks = columns
    .slice(first, first + shown)
    .map((each, i) =>
      drawColumn(
        each,
        { selected: selected[first + i] ?? 0, isSelected: first + i === column, cardHeight, root: root?.id },
        { ...screen, columns: width - 2 },
        height,
      ),
    );
  return Array.from({ length: height }, (_, row) => {
    const line = blocks.map((lines) => padRight(lines[row] ?? '', width)).join('');
    if (row > 0) return line.trimEnd();
    const isMore = { left: first > 0, right: first + shown < columns.length };
    return `${isMore.left ? `‹${line.slice(1)}` : line}`.trimEnd() + (isMore.right ? ' ›' : '');
  });
}

interface ColumnState {
  selected: number;
  isSelected: boolean;
  cardHeight: number;
  root: string | undefined;
}

function drawColumn(
  column: Column,
  { selected: at, isSelected: isChosen, cardHeight, root }: ColumnState,
  screen: Screen,
  height: number,
): string[] {
  const { cards, count } = column;
  const isWhole = count === cards.length && cards.length * cardHeight < height;
  const fits = isWhole ? cards.length : Math.min(cards.length, countCards(height));
  const first = getWindowStart(at, fits, cards.length);
  const lines = cards.slice(first, first + fits).flatMap(({ epicId, ...card }, i) => {
    // The header names the epic that all cards are inside of.
    const shown = epicId && epicId !== root ? { ...card, epicId } : card;
    const [top, ...title] = drawCard(shown, screen.columns, screen, cardHeight - 1);
    if (!isChosen || first + i !== at) return [top, ...title].map((line) => ` ${line}`);
    return [top, ...title.map((line) => screen.paint('bold', line))].map((line) => `${screen.paint('cyan', selectionMark)}${line}`);
  });
  const rest = [first > 0 ? `↑${first}` : '', count > first + fits ? `↓${count - first - fits}` : '']
    .filter((part) => part !== '')
    .join(' ');
  const head = drawColumnHead(column, screen.columns, screen);
  return [` ${head}`, ...lines, ...(rest ? [screen.paint('dim', ` ${rest}`)] : [])].map((line) =>
    truncatePainted(line, screen.columns + 1),
  );
}
