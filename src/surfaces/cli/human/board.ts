import type { Card, Column } from '#tasks/model/board.ts';
import { ageOf, type Cell, cellOf, idOf } from './cell.ts';
import type { Screen } from './screen.ts';
import { cut, oneLine, pad, widthOf, wrap } from './text.ts';
import { nodeLine } from './tree.ts';

/** Columns side by side where the screen is wide enough to read a title in each, else one below the other. */
export function board(columns: Column[], screen: Screen): string[] {
  const filled = columns.filter(({ count }) => count > 0);
  if (screen.columns < leastWidth * filled.length)
    return filled.flatMap((column, i) => [...(i > 0 ? [''] : []), ...listed(column, screen)]);
  const width = Math.floor(screen.columns / filled.length);
  const blocks = filled.map((column) => [
    columnHead(column, width - gap, screen),
    ...column.cards.flatMap((card) => cardLines(card, width - gap, screen)),
    ...rest(column, screen),
  ]);
  const height = Math.max(0, ...blocks.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    blocks
      .map((lines) => pad(lines[row] ?? '', width))
      .join('')
      .trimEnd(),
  );
}

const gap = 2;
export const leastWidth = 18;

function listed(column: Column, screen: Screen): string[] {
  const lines = column.cards.map(({ status: _, claim, completedAt: __, ...card }) =>
    nodeLine({ ...card, ...(claim ? { held: claim.agent } : {}) }, screen, screen.columns - 2),
  );
  return [columnHead(column, screen.columns, screen), ...lines.map((line) => `  ${line}`), ...rest(column, screen)];
}

const rest = ({ count, cards }: Column, { paint }: Screen): string[] =>
  count > cards.length ? [paint('dim', `  and ${count - cards.length} more`)] : [];

/** The state with its mark, and how many there are. */
export function columnHead({ status, count }: Pick<Column, 'status' | 'count'>, width: number, { paint }: Screen): string {
  const { text, colour } = cellOf('status', status);
  const head = paint('bold', cut(`${text} ${count}`, width));
  return colour ? paint(colour, head) : head;
}

/** A line that says which one it is and how it stands, then what it is about, in as many lines as it may take. */
export function cardLines(card: Card, width: number, screen: Screen, titleLines = 1): string[] {
  const id = cut(idOf(card), width);
  const room = width - widthOf(id) - 1;
  const parts: string[] = [];
  let used = 0;
  for (const { text, colour } of factsOf(card, screen)) {
    const shown = cut(text, room - used);
    if (shown === '' || (shown !== text && parts.length > 0)) break;
    parts.push(screen.paint(colour ?? 'dim', shown));
    used += widthOf(shown) + 1;
  }
  const lines = titleLines > 1 ? wrap(oneLine(card.title), width - indent) : [oneLine(card.title)];
  const rest = lines.slice(titleLines - 1).join(' ');
  const shown = [...lines.slice(0, titleLines - 1), ...(rest ? [cut(rest, width - indent)] : [])];
  return [[screen.paint('cyan', id), ...parts].join(' '), ...shown.map((line) => `${' '.repeat(indent)}${line}`)];
}

const indent = 1;

/** What matters most first: the rest gives way where there is no room for it. */
export function factsOf({ priority, claim, blockedBy, completedAt, epicId }: Card, { now }: Screen): Cell[] {
  const urgent = cellOf('priority', priority);
  return [
    ...(urgent.colour && urgent.colour !== 'dim' && !completedAt ? [urgent] : []),
    ...(claim ? [heldBy(claim, now)] : []),
    ...(blockedBy ? [{ text: oneLine(blockedBy), colour: 'red' as const }] : []),
    ...(completedAt ? [{ text: ageOf(completedAt, now) }] : []),
    ...(epicId ? [{ text: `E-${oneLine(epicId)}` }] : []),
  ];
}

function heldBy({ agent, since, lapsed }: NonNullable<Card['claim']>, now: string): Cell {
  const span = ageOf(since, now).replace(/ ago$/, '');
  return { text: oneLine(`${agent} ${span}${lapsed ? ' lapsed' : ''}`), colour: lapsed ? 'yellow' : 'green' };
}
