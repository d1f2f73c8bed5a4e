import { defined } from '#lib/collections.ts';
import { type Cell, type Fields, paintCell, toCell, toLabel } from './cell.ts';
import type { Screen } from './screen.ts';
import { measureWidth, padLeft, padRight, truncate, wrap } from './text.ts';

// Columns that come first, in this order; the others follow in the order of the answer.
const leadingKeys = ['seq', 'at', 'timestamp', 'id', 'slug', 'taskId', 'status', 'severity', 'level', 'priority', 'score', 'code'];
// Ids, states, numbers and names are never truncated; text is.
const rigidKeys = ['operation', 'key', 'fix', 'command', 'skill'];
// Minimum widths of text columns that need more than their head: enough of a title to recognize it, the code of an error.
const minWidths: Record<string, number> = { title: 20, outcome: 22 };
// Columns that a narrow screen keeps: without them a row says nothing.
const lastingKeys = ['id', 'taskId', 'title'];
// Too long for a row, or visible in the id; `show` prints them.
const hiddenTaskKeys = ['description', 'notes', 'type', 'reasons'];
const gap = 2;
const maxLines = 4;

interface Column {
  key: string;
  head: string;
  cells: Cell[];
  isNumber: boolean;
  width: number;
  minWidth: number;
}

/** Draws records as rows of aligned columns; undefined if the screen is too narrow for that. */
export function drawTable(records: Fields[], screen: Screen, isTruncated = areTasks(records)): string[] | undefined {
  let columns = toColumns(records);
  if (columns.length === 0) return [];
  if (sumWidths(columns) > screen.columns) columns = columns.map(toMarkColumn);
  const dropped: string[] = [];
  while (sumWidths(columns.map((column) => ({ width: column.minWidth }))) > screen.columns) {
    // A few records are easier to read in full, unless they are tasks, which `show` prints. A longer list loses its last columns.
    const last = columns.findLast(({ key }) => !lastingKeys.includes(key));
    if (!last || (!isTruncated && (records.length <= 3 || columns.length <= 3))) return undefined;
    if (last.head) dropped.unshift(last.head);
    columns = columns.filter((column) => column !== last);
  }
  narrowColumns(columns, screen.columns);
  const drawLine = (cells: Cell[], isDim = false): string =>
    cells
      .map((cell, i) => {
        const { width, isNumber } = columns[i]!;
        const text = truncate(cell.text, width);
        const painted = isDim ? screen.paint('dim', text) : paintCell({ ...cell, text }, screen);
        if (isNumber) return padLeft(painted, width);
        return i === cells.length - 1 ? painted : padRight(painted, width);
      })
      .join(' '.repeat(gap))
      .trimEnd();
  const head = drawLine(columns.map(({ head }) => ({ text: head.toUpperCase(), colour: 'dim' })));
  // A task title may be truncated because `show` prints it in full. Other text has no such place, so it is wrapped.
  const rows = records.flatMap((record, i) => {
    const cells = columns.map(({ cells, width }): Cell[] => {
      const { text, colour } = cells[i]!;
      if (isTruncated || measureWidth(text) <= width) return [cells[i]!];
      const lines = wrap(text, width);
      const shown =
        lines.length > maxLines ? [...lines.slice(0, maxLines - 1), truncate(lines.slice(maxLines - 1).join(' '), width)] : lines;
      return shown.map((part) => defined({ text: part, colour }));
    });
    const height = Math.max(...cells.map((lines) => lines.length));
    // Open tasks stand out among those that are done.
    const isDim = isTruncated && record.status === 'done';
    return Array.from({ length: height }, (_, n) =>
      drawLine(
        cells.map((lines) => lines[n] ?? { text: '' }),
        isDim,
      ),
    );
  });
  const missing = dropped.length
    ? wrap(`not shown here: ${dropped.join(', ')}`, screen.columns).map((text) => screen.paint('dim', text))
    : [];
  return columns.length > 1 ? [head, ...rows, ...missing] : rows;
}

const areTasks = (records: Fields[]): boolean => records.every((record) => ('id' in record || 'taskId' in record) && 'title' in record);

function toColumns(records: Fields[]): Column[] {
  const rank = (key: string): number => {
    const at = leadingKeys.indexOf(key);
    return at >= 0 ? at : key === 'title' ? leadingKeys.length : leadingKeys.length + 1;
  };
  return listKeys(records)
    .sort((a, b) => rank(a) - rank(b))
    .map((key) => toColumn(key, records))
    .filter((column) => column.cells.some((cell) => cell.text !== ''));
}

/** Lists the fields of a row in the order of the records; a field that only some have comes after the one it follows there. */
export function listKeys(records: Fields[]): string[] {
  const keys: string[] = [];
  for (const record of records) {
    let at = -1;
    for (const key of Object.keys(record)) {
      const known = keys.indexOf(key);
      if (known >= 0) at = known;
      else keys.splice(++at, 0, key);
    }
  }
  return areTasks(records) ? keys.filter((key) => !hiddenTaskKeys.includes(key)) : keys;
}

function toColumn(key: string, records: Fields[]): Column {
  const head = toLabel(key);
  const cells = records.map((record) => toCell(key, record[key], record));
  const width = Math.max(measureWidth(head), ...cells.map((cell) => measureWidth(cell.text)));
  const isNumber = records.every((record) => record[key] === undefined || typeof record[key] === 'number');
  const isRigid = leadingKeys.includes(key) || rigidKeys.includes(key) || isNumber;
  const minWidth = isRigid ? width : Math.min(width, minWidths[key] ?? Math.max(8, measureWidth(head)));
  return { key, head, cells, isNumber, width, minWidth };
}

const sumWidths = (columns: Pick<Column, 'width'>[]): number =>
  columns.reduce((sum, column) => sum + column.width, gap * (columns.length - 1));

/** Shortens a status column to its marks. */
function toMarkColumn(column: Column): Column {
  if (column.key !== 'status') return column;
  return { ...column, head: '', width: 1, minWidth: 1, cells: column.cells.map((cell) => ({ ...cell, text: cell.text.slice(0, 1) })) };
}

/** Narrows the widest text columns until the row fits. */
function narrowColumns(columns: Column[], available: number): void {
  for (let over = sumWidths(columns) - available; over > 0; over = sumWidths(columns) - available) {
    const widest = columns.filter((column) => column.width > column.minWidth).sort((a, b) => b.width - a.width)[0];
    if (!widest) return;
    const next = Math.max(
      widest.minWidth,
      ...columns.filter((c) => c !== widest && c.width > c.minWidth && c.width < widest.width).map((c) => c.width),
    );
    widest.width -= Math.max(1, Math.min(over, widest.width - next));
  }
}
