import { type Cell, formatAge, formatId, toCell } from './cell.ts';
import type { Screen } from './screen.ts';
import { measureWidth, toOneLine, truncate, wrap } from './text.ts';

/** A task as boards and lists draw it. */
type CardFields = {
  id: string;
  title: string;
  type: string;
  priority: string;
  claim?: { agent: string; since: string; state?: string | undefined; lapsed?: true | undefined } | undefined;
  blockedBy?: string | undefined;
  completedAt?: string | undefined;
  epicId?: string | undefined;
};

/** Narrower columns cannot show enough of a title. */
export const minColumnWidth = 18;

/** Draws the status of a column with its mark, and the number of tasks. */
export function drawColumnHead({ status, count }: { status: string; count: number }, width: number, screen: Screen): string {
  const { text, colour } = toCell('status', status);
  const head = screen.paint('bold', truncate(`${text} ${count}`, width));
  return colour ? screen.paint(colour, head) : head;
}

/** Draws a card: one line with its id and facts, then its title in at most `titleLines` lines. */
export function drawCard(card: CardFields, width: number, screen: Screen, titleLines = 1): string[] {
  const id = truncate(formatId(card), width);
  const room = width - measureWidth(id) - 1;
  const parts: string[] = [];
  let used = 0;
  for (const { text, colour } of listCardFacts(card, screen)) {
    const shown = truncate(text, room - used);
    if (shown === '' || (shown !== text && parts.length > 0)) break;
    parts.push(screen.paint(colour ?? 'dim', shown));
    used += measureWidth(shown) + 1;
  }
  const lines = titleLines > 1 ? wrap(toOneLine(card.title), width - indent) : [toOneLine(card.title)];
  const rest = lines.slice(titleLines - 1).join(' ');
  const shown = [...lines.slice(0, titleLines - 1), ...(rest ? [truncate(rest, width - indent)] : [])];
  return [[screen.paint('cyan', id), ...parts].join(' '), ...shown.map((line) => `${' '.repeat(indent)}${line}`)];
}

const indent = 1;

/** Lists the facts of a card, the most important first: the last ones are dropped if they do not fit. */
export function listCardFacts({ priority, claim, blockedBy, completedAt, epicId }: CardFields, { now }: Screen): Cell[] {
  const urgent = toCell('priority', priority);
  return [
    ...(urgent.colour && urgent.colour !== 'dim' && !completedAt ? [urgent] : []),
    ...(claim ? [toClaimCell(claim, now)] : []),
    ...(blockedBy ? [{ text: toOneLine(blockedBy), colour: 'red' as const }] : []),
    ...(completedAt ? [{ text: formatAge(completedAt, now) }] : []),
    ...(epicId ? [{ text: `E-${toOneLine(epicId)}` }] : []),
  ];
}

function toClaimCell({ agent, since, state, lapsed }: NonNullable<CardFields['claim']>, now: string): Cell {
  const span = formatAge(since, now).replace(/ ago$/, '');
  const absence = state ?? (lapsed ? 'lapsed' : '');
  return { text: toOneLine(`${agent} ${span} ${absence}`).trimEnd(), colour: absence ? 'yellow' : 'green' };
}
