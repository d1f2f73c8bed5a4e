import { isPlainObject } from '#lib/collections.ts';
import { type Fields, formatId, getMark, isRecords, paintCell, toCell, toLabel } from './cell.ts';
import type { Screen } from './screen.ts';
import { measureWidth, toOneLine, truncate } from './text.ts';

/** Draws nodes with their `children` and the branches between them. */
export function drawTree(nodes: Fields[], screen: Screen): string[] {
  const lines: string[] = [];
  const visit = (children: Fields[], stem: string, isTop: boolean): void => {
    children.forEach((node, i) => {
      const isLast = i === children.length - 1;
      const branch = isTop ? '' : isLast ? '└─ ' : '├─ ';
      lines.push(`${screen.paint('dim', stem + branch)}${drawNode(node, screen, screen.columns - measureWidth(stem + branch))}`);
      if (isRecords(node.children)) visit(node.children, isTop ? '' : `${stem}${isLast ? '   ' : '│  '}`, false);
    });
  };
  visit(nodes, '', true);
  return lines;
}

/** Draws one record on one line: mark, id and title, then its other plain fields, dim. */
export function drawNode(node: Fields, screen: Screen, width = screen.columns): string {
  const { id: _, taskId: __, title, name, status, type: ___, priority, children: ____, ...others } = node;
  const mark = getMark(status);
  const id = truncate(formatId(node), Math.max(1, Math.floor(width / 2)));
  const urgent = toCell('priority', priority);
  const more = Object.entries(others)
    .filter(([, value]) => value !== undefined && !isPlainObject(value) && !isRecords(value))
    .map(([key, value]) => `${toLabel(key)} ${toCell(key, value).text}`)
    .join(' · ');
  const head = joinNonEmpty([mark ? paintCell(mark, screen) : '', id ? screen.paint('cyan', id) : ''], ' ');
  const tail = joinNonEmpty([urgent.colour === undefined ? '' : urgent.text, more], ' · ');
  const room = width - measureWidth(head) - 2;
  const text = truncate(
    toOneLine(String(title ?? name ?? '')),
    tail ? Math.min(room, Math.max(20, room - Math.min(measureWidth(tail), 30) - 2)) : room,
  );
  const rest = truncate(tail, Math.max(0, room - measureWidth(text) - 2));
  return joinNonEmpty([head, text, rest ? screen.paint(urgent.colour ?? 'dim', rest) : ''], '  ');
}

const joinNonEmpty = (parts: string[], separator: string): string => parts.filter((part) => part !== '').join(separator);
