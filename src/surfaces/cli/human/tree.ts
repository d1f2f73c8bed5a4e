import { cellOf, type Fields, idOf, isFields, isRecords, labelOf, markOf } from './cell.ts';
import type { Screen } from './screen.ts';
import { cut, oneLine, widthOf } from './text.ts';

/** Nodes below one another, with the lines that join them. */
export function tree(nodes: Fields[], screen: Screen): string[] {
  const lines: string[] = [];
  const walk = (children: Fields[], stem: string, isTop: boolean): void => {
    children.forEach((node, i) => {
      const isLast = i === children.length - 1;
      const branch = isTop ? '' : isLast ? '└─ ' : '├─ ';
      lines.push(`${screen.paint('dim', stem + branch)}${nodeLine(node, screen, screen.columns - widthOf(stem + branch))}`);
      if (isRecords(node.children)) walk(node.children, isTop ? '' : `${stem}${isLast ? '   ' : '│  '}`, false);
    });
  };
  walk(nodes, '', true);
  return lines;
}

/** One record on one line: mark, id, title, and what else is said of it, dim. */
export function nodeLine(node: Fields, screen: Screen, width: number): string {
  const { id: _, taskId: __, title, name, status, type: ___, priority, children: ____, ...others } = node;
  const mark = markOf(status);
  const id = cut(idOf(node), Math.max(1, Math.floor(width / 2)));
  const urgent = cellOf('priority', priority);
  const more = Object.entries(others)
    .filter(([, value]) => value !== undefined && !isFields(value) && !isRecords(value))
    .map(([key, value]) => `${labelOf(key)} ${cellOf(key, value).text}`)
    .join(' · ');
  const head = [mark ? (mark.colour ? screen.paint(mark.colour, mark.text) : mark.text) : '', id ? screen.paint('cyan', id) : '']
    .filter((part) => part !== '')
    .join(' ');
  const tail = [urgent.colour === undefined ? '' : urgent.text, more].filter((part) => part !== '').join(' · ');
  const room = width - widthOf(head) - 2;
  const text = cut(
    oneLine(String(title ?? name ?? '')),
    tail ? Math.min(room, Math.max(20, room - Math.min(widthOf(tail), 30) - 2)) : room,
  );
  const rest = cut(tail, Math.max(0, room - widthOf(text) - 2));
  return [head, text, rest ? screen.paint(urgent.colour ?? 'dim', rest) : ''].filter((part) => part !== '').join('  ');
}
