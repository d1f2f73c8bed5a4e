import {
  drawCard,
  drawColumnHead,
  drawEach,
  drawNode,
  drawRecord,
  drawTree,
  minColumnWidth,
  padRight,
  type Screen,
  toListForm,
  type View,
} from '#core/terminal/index.ts';
import type { Column } from './model/board.ts';

export const taskView: View = {
  forms: {
    tree: toListForm(drawTree),
    columns: drawBoard,
  },
};

/** Several tasks with all their fields do not fit a table. */
export const wholeTasksView: View = {
  forms: { tasks: toListForm((tasks, screen) => drawEach(tasks, (task) => drawRecord(task, screen))) },
};

const gap = 2;

/** Draws the columns side by side if each is wide enough to read a title, else one below the other. */
function drawBoard(columns: Column[], screen: Screen): string[] {
  const filled = columns.filter(({ count }) => count > 0);
  if (screen.columns < minColumnWidth * filled.length) return drawEach(filled, (column) => drawList(column, screen));
  const width = Math.floor(screen.columns / filled.length);
  const blocks = filled.map((column) => [
    drawColumnHead(column, width - gap, screen),
    ...column.cards.flatMap((card) => drawCard(card, width - gap, screen)),
    ...drawRest(column, screen),
  ]);
  const height = Math.max(0, ...blocks.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    blocks
      .map((lines) => padRight(lines[row] ?? '', width))
      .join('')
      .trimEnd(),
  );
}

function drawList(column: Column, screen: Screen): string[] {
  const lines = column.cards.map(({ status: _, claim, completedAt: __, ...card }) =>
    drawNode({ ...card, ...(claim ? { held: claim.agent } : {}) }, screen, screen.columns - 2),
  );
  return [drawColumnHead(column, screen.columns, screen), ...lines.map((line) => `  ${line}`), ...drawRest(column, screen)];
}

const drawRest = ({ count, cards }: Column, { paint }: Screen): string[] =>
  count > cards.length ? [paint('dim', `  and ${count - cards.length} more`)] : [];
