import { type Cell, cellOf, type Fields, labelOf } from './cell.ts';
import type { Screen } from './screen.ts';
import { cut, pad, padLeft, widthOf, wrap } from './text.ts';

// Where a column stands; what is not named here follows in the order of the answer.
const first = ['seq', 'at', 'timestamp', 'id', 'slug', 'taskId', 'status', 'severity', 'level', 'priority', 'score', 'code'];
// Ids, states, numbers and names stay whole; text gives way.
const whole = ['operation', 'key', 'fix', 'command', 'skill'];
// What text keeps, where it is more than its head needs: a title to be known by, the code of an error.
const least: Record<string, number> = { title: 20, outcome: 22 };
// Too long for a row, or said by the id; one task alone shows them.
const hiddenOfTasks = ['description', 'notes', 'type', 'reasons'];
const gap = 2;
const mostLines = 4;

interface Column {
  key: string;
  head: string;
  cells: Cell[];
  isNumber: boolean;
  width: number;
  least: number;
}

/** Records under one another in aligned columns; undefined where the screen is too narrow for that. */
export function table(records: Fields[], screen: Screen, isCut = areTasks(records)): string[] | undefined {
  let columns = columnsOf(records);
  if (columns.length === 0) return [];
  if (total(columns) > screen.columns) columns = columns.map(marksOnly);
  const dropped: string[] = [];
  while (!squeeze(columns, screen.columns)) {
    // Few records are better read in full, one after the other; of many, the last columns give way.
    if (records.length <= 3 || columns.length <= 3) return undefined;
    const [last] = columns.slice(-1);
    dropped.unshift(last!.head);
    columns = columns.slice(0, -1);
  }
  const line = (cells: Cell[]): string =>
    cells
      .map((cell, i) => {
        const { width, isNumber } = columns[i]!;
        const text = cut(cell.text, width);
        const painted = cell.colour ? screen.paint(cell.colour, text) : text;
        if (isNumber) return padLeft(painted, width);
        return i === cells.length - 1 ? painted : pad(painted, width);
      })
      .join(' '.repeat(gap))
      .trimEnd();
  const head = line(columns.map(({ head }) => ({ text: head.toUpperCase(), colour: 'dim' })));
  // A title may be cut, for one task alone shows it whole; of most else this is the only place, so a long text goes on below.
  const rows = records.flatMap((_, i) => {
    const cells = columns.map(({ cells, width }): Cell[] => {
      const { text, colour } = cells[i]!;
      if (isCut || widthOf(text) <= width) return [cells[i]!];
      const lines = wrap(text, width);
      const shown = lines.length > mostLines ? [...lines.slice(0, mostLines - 1), cut(lines.slice(mostLines - 1).join(' '), width)] : lines;
      return shown.map((part) => ({ text: part, ...(colour ? { colour } : {}) }));
    });
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, n) => line(cells.map((lines) => lines[n] ?? { text: '' })));
  });
  const missing = dropped.length
    ? wrap(`not shown here: ${dropped.join(', ')}`, screen.columns).map((text) => screen.paint('dim', text))
    : [];
  return columns.length > 1 ? [head, ...rows, ...missing] : rows;
}

const areTasks = (records: Fields[]): boolean => records.every((record) => ('id' in record || 'taskId' in record) && 'title' in record);

function columnsOf(records: Fields[]): Column[] {
  const rank = (key: string): number => {
    const at = first.indexOf(key);
    return at >= 0 ? at : key === 'title' ? first.length : first.length + 1;
  };
  return keysOf(records)
    .sort((a, b) => rank(a) - rank(b))
    .map((key) => columnOf(key, records))
    .filter((column) => column.cells.some((cell) => cell.text !== ''));
}

/** The fields that a row shows, in the order of the records; a field that only some have stands behind the one it follows there. */
export function keysOf(records: Fields[]): string[] {
  const keys: string[] = [];
  for (const record of records) {
    let at = -1;
    for (const key of Object.keys(record)) {
      const known = keys.indexOf(key);
      if (known >= 0) at = known;
      else keys.splice(++at, 0, key);
    }
  }
  return areTasks(records) ? keys.filter((key) => !hiddenOfTasks.includes(key)) : keys;
}

function columnOf(key: string, records: Fields[]): Column {
  const head = labelOf(key);
  const cells = records.map((record) => cellOf(key, record[key], record));
  const width = Math.max(widthOf(head), ...cells.map((cell) => widthOf(cell.text)));
  const isNumber = records.every((record) => record[key] === undefined || typeof record[key] === 'number');
  const isRigid = first.includes(key) || whole.includes(key) || isNumber;
  return { key, head, cells, isNumber, width, least: isRigid ? width : Math.min(width, least[key] ?? Math.max(8, widthOf(head))) };
}

const total = (columns: Column[]): number => columns.reduce((sum, column) => sum + column.width, gap * (columns.length - 1));

/** Where room is scarce, the mark of a state stands for its word. */
function marksOnly(column: Column): Column {
  if (column.key !== 'status') return column;
  return { ...column, head: '', width: 1, least: 1, cells: column.cells.map((cell) => ({ ...cell, text: cell.text.slice(0, 1) })) };
}

/** Takes from the widest text columns until the row fits. */
function squeeze(columns: Column[], available: number): boolean {
  for (let over = total(columns) - available; over > 0; over = total(columns) - available) {
    const widest = columns.filter((column) => column.width > column.least).sort((a, b) => b.width - a.width)[0];
    if (!widest) return false;
    const next = Math.max(
      widest.least,
      ...columns.filter((c) => c !== widest && c.width > c.least && c.width < widest.width).map((c) => c.width),
    );
    widest.width -= Math.max(1, Math.min(over, widest.width - next));
  }
  return true;
}
