import { progressLine } from './bar.ts';
import { ageOf, type Cell, cellOf, type Fields, idOf, isEmpty, isFields, isRecords, labelOf, markOf, timeOf } from './cell.ts';
import { narrower, type Screen } from './screen.ts';
import { keysOf, table } from './table.ts';
import { clean, cut, oneLine, pad, widthOf, wrap } from './text.ts';
import { nodeLine } from './tree.ts';

// What the first two lines of a record say, and what its last line says.
const headline = ['id', 'taskId', 'title', 'name', 'status', 'priority', 'type', 'size', 'phase', 'parentId', 'epicId'];
const bookkeeping = ['createdAt', 'createdBy', 'updatedAt', 'startedAt', 'completedAt', 'archivedAt', 'revision'];

/** One record with everything it has. */
export function record(fields: Fields, screen: Screen): string[] {
  const title = fields.title ?? fields.name;
  if (!idOf(fields) || typeof title !== 'string') return facts(fields, screen);
  const mark = markOf(fields.status);
  const id = cut(idOf(fields), Math.floor(screen.columns / 2));
  const head = `${mark ? `${mark.text} ` : ''}${id}  `;
  const [opening = '', ...more] = wrap(oneLine(title), screen.columns - widthOf(head));
  const lines = [
    `${mark ? `${mark.colour ? screen.paint(mark.colour, mark.text) : mark.text} ` : ''}${screen.paint('cyan', id)}  ${screen.paint('bold', opening)}`,
    ...more.map((line) => `${' '.repeat(widthOf(head))}${screen.paint('bold', line)}`),
  ];
  lines.push(...aboutLines(fields, narrower(screen, 2)).map((line) => `  ${line}`));
  const { description, ...others } = Object.fromEntries(
    Object.entries(fields).filter(([key]) => !headline.includes(key) && !bookkeeping.includes(key)),
  );
  if (typeof description === 'string' && description !== '')
    lines.push('', ...wrap(description, screen.columns - 2).map((line) => `  ${line}`.trimEnd()));
  if (!isEmpty(others)) lines.push('', ...facts(others, narrower(screen, 2)).map((line) => `  ${line}`));
  const book = bookkeeping
    .filter((key) => fields[key] !== undefined)
    .map((key) => `${labelOf(key)} ${cellOf(key, fields[key]).text}`)
    .join(' · ')
    .replace(' · created by ', ' by ');
  if (book) lines.push('', ...wrap(book, screen.columns - 2).map((line) => screen.paint('dim', `  ${line}`)));
  return lines;
}

/** Its state and its place, in as many lines as they need. */
function aboutLines(fields: Fields, screen: Screen): string[] {
  const { type, parentId, epicId, phase } = fields;
  const place = [type, parentId ? `in ${parentId}` : '', epicId && epicId !== parentId ? `of ${epicId}` : ''].filter(Boolean).join(' ');
  const parts: Cell[] = [
    ...['status', 'priority', 'size'].map((key) => cellOf(key === 'status' ? 'state' : key, fields[key])),
    { text: oneLine(place) },
    { text: phase ? oneLine(`phase ${phase}`) : '' },
  ].filter(({ text }) => text !== '');
  const whole = parts.map(({ text }) => text).join(' · ');
  if (widthOf(whole) > screen.columns) return wrap(whole, screen.columns);
  return whole === '' ? [] : [parts.map(({ text, colour }) => (colour ? screen.paint(colour, text) : text)).join(' · ')];
}

/** Names and values in two columns; what is itself a record or a list of them stands below its name. */
export function facts(fields: Fields, screen: Screen): string[] {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const names = entries.map(([key]) => cut(labelOf(key), Math.min(24, Math.floor(screen.columns / 2) - 2)));
  const width = Math.max(0, ...names.map(widthOf)) + 2;
  return entries.flatMap(([key, value], i) => {
    const name = screen.paint('dim', pad(names[i]!, width));
    const inner = narrower(screen, width);
    const beside =
      special(key, value, inner) ??
      plain(key, value, inner) ??
      (screen.columns < tooNarrow ? wrap(JSON.stringify(value), inner.columns) : undefined);
    if (beside) return beside.map((line, n) => `${n === 0 ? name : ' '.repeat(width)}${line}`.trimEnd());
    return [screen.paint('dim', names[i]!), ...below(value, narrower(screen, 2)).map((line) => `  ${line}`)];
  });
}

// Where records in records have used up the screen, the rest is shown as it came.
const tooNarrow = 30;

/** What fits beside its name: one value, or a list of plain ones. */
function plain(key: string, value: unknown, screen: Screen): string[] | undefined {
  if (isEmpty(value)) return [screen.paint('dim', 'none')];
  if (isRecords(value) || isFields(value)) return undefined;
  if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null)) return undefined;
  if (Array.isArray(value) && value.length > 1 && value.some((item) => typeof item === 'string' && /\s/.test(item)))
    return value.flatMap((item) => bullet('-', String(item), screen));
  if (typeof value === 'string' && !timeOf(value)) return wrap(value, screen.columns);
  const { text, colour } = cellOf(key, value);
  return wrap(text, screen.columns).map((line) => (colour ? screen.paint(colour, line) : line));
}

function below(value: unknown, screen: Screen): string[] {
  if (isRecords(value)) return records(value, screen);
  if (Array.isArray(value)) return value.flatMap((item) => (isFields(item) ? facts(item, screen) : wrap(String(item), screen.columns)));
  return facts(value as Fields, screen);
}

/** Many records: a table where the screen is wide enough and no cell would have to hold a table, else one after the other. */
export function records(items: Fields[], screen: Screen): string[] {
  const isDeep = keysOf(items).some((key) => items.some((item) => isRecords(item[key]) && !item[key].every(idOf)));
  const rows = isDeep ? undefined : table(items, screen);
  return rows ?? items.flatMap((item, i) => [...(i > 0 ? [''] : []), ...record(item, screen)]);
}

function bullet(mark: string, text: string, screen: Screen): string[] {
  const width = widthOf(mark) + 1;
  return wrap(text, screen.columns - width).map((line, i) => `${i === 0 ? mark : ' '.repeat(width - 1)} ${line}`);
}

/** What reads better as sentences than as rows. */
export function special(key: string, value: unknown, screen: Screen): string[] | undefined {
  if (key === 'claim' && isFields(value) && 'agent' in value) return wrap(claimText(value, screen.now), screen.columns);
  if (key === 'root' && isFields(value) && 'title' in value) return [nodeLine(value, screen, screen.columns)];
  if (key === 'progress' && isFields(value) && 'percent' in value) return [progressLine(value, screen)];
  if (!isRecords(value)) return undefined;
  if (key === 'acceptance')
    return value.flatMap((item) =>
      bullet(item.met ? screen.paint('green', '☑') : '☐', oneLine(String(item.text ?? item.gate ?? item.target ?? '')), screen),
    );
  if (key === 'reasons' && value.every((item) => typeof item.points === 'number'))
    return value.flatMap((item) => bullet(`+${item.points}`, oneLine(String(item.term ?? item.reason ?? '')), screen));
  if (key === 'notes')
    return value.flatMap((item) => [
      screen.paint('dim', cut(`${timeOf(item.at) ?? oneLine(String(item.at))} ${oneLine(String(item.by))}`, screen.columns)),
      ...wrap(String(item.text), screen.columns),
    ]);
  if (key === 'relations')
    return value.flatMap((item) =>
      bullet(item.direction === 'from' ? '←' : '→', `${item.type} ${item.taskId}: ${clean(String(item.reason))}`, screen),
    );
  return undefined;
}

function claimText({ agent, session, since, until }: Fields, now: string): string {
  const lapse = until === undefined ? '' : `, ${String(until) < now ? 'lapsed' : 'lapses'} ${ageOf(until, now)}`;
  return oneLine(`${agent}${session ? ` in ${session}` : ''}, taken ${ageOf(since, now)}${lapse}`);
}
