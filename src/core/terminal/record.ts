import { isPlainObject } from '#lib/collections.ts';
import { drawProgress } from './bar.ts';
import {
  type Cell,
  type Fields,
  formatAge,
  formatId,
  formatTime,
  getMark,
  isEmpty,
  isRecords,
  paintCell,
  toCell,
  toLabel,
} from './cell.ts';
import { drawBullet, drawEach } from './lines.ts';
import { narrowScreen, type Screen } from './screen.ts';
import { drawTable, listKeys } from './table.ts';
import { escapeControls, measureWidth, padRight, toOneLine, truncate, wrap } from './text.ts';
import { drawNode } from './tree.ts';

// Fields on the first two lines of a record, and on its last line.
const headKeys = ['id', 'taskId', 'title', 'name', 'status', 'priority', 'type', 'size', 'phase', 'parentId', 'epicId'];
// For programs only.
const hiddenKeys = ['uid'];
const historyKeys = ['createdAt', 'createdBy', 'updatedAt', 'startedAt', 'completedAt', 'archivedAt', 'revision'];

/** Draws one record with all its fields. */
export function drawRecord(fields: Fields, screen: Screen): string[] {
  const title = fields.title ?? fields.name;
  if (!formatId(fields) || typeof title !== 'string') return drawFields(fields, screen);
  const mark = getMark(fields.status);
  const id = truncate(formatId(fields), Math.floor(screen.columns / 2));
  const head = `${mark ? `${paintCell(mark, screen)} ` : ''}${screen.paint('cyan', id)}  `;
  const [opening = '', ...more] = wrap(toOneLine(title), screen.columns - measureWidth(head));
  const lines = [
    `${head}${screen.paint('bold', opening)}`,
    ...more.map((line) => `${' '.repeat(measureWidth(head))}${screen.paint('bold', line)}`),
  ];
  lines.push(...drawSummary(fields, narrowScreen(screen, 2)).map((line) => `  ${line}`));
  const { description, ...others } = Object.fromEntries(
    Object.entries(fields).filter(([key]) => ![...headKeys, ...historyKeys, ...hiddenKeys].includes(key)),
  );
  if (typeof description === 'string' && description !== '')
    lines.push('', ...wrap(description, screen.columns - 2).map((line) => `  ${line}`.trimEnd()));
  if (!isEmpty(others)) lines.push('', ...drawFields(others, narrowScreen(screen, 2)).map((line) => `  ${line}`));
  const history = historyKeys
    .filter((key) => fields[key] !== undefined)
    .map((key) => `${toLabel(key)} ${toCell(key, fields[key]).text}`)
    .join(' · ')
    .replace(' · created by ', ' by ');
  if (history) lines.push('', ...wrap(history, screen.columns - 2).map((line) => screen.paint('dim', `  ${line}`)));
  return lines;
}

/** Draws the state of a record and its place in the hierarchy. */
function drawSummary(fields: Fields, screen: Screen): string[] {
  const { type, parentId, epicId, phase } = fields;
  const place = [type, parentId ? `in ${parentId}` : '', epicId && epicId !== parentId ? `of ${epicId}` : ''].filter(Boolean).join(' ');
  const parts: Cell[] = [
    ...['status', 'priority', 'size'].map((key) => toCell(key === 'status' ? 'state' : key, fields[key])),
    { text: toOneLine(place) },
    { text: phase ? toOneLine(`phase ${phase}`) : '' },
  ].filter(({ text }) => text !== '');
  const whole = parts.map(({ text }) => text).join(' · ');
  if (measureWidth(whole) > screen.columns) return wrap(whole, screen.columns);
  return whole === '' ? [] : [parts.map((part) => paintCell(part, screen)).join(' · ')];
}

/** Draws names and values in two columns; nested records and lists of records go below their name. */
export function drawFields(fields: Fields, screen: Screen): string[] {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const names = entries.map(([key]) => truncate(toLabel(key), Math.min(24, Math.floor(screen.columns / 2) - 2)));
  const width = Math.max(0, ...names.map(measureWidth)) + 2;
  return entries.flatMap(([key, value], i) => {
    const name = screen.paint('dim', padRight(names[i]!, width));
    const inner = narrowScreen(screen, width);
    const inline =
      drawKnownField(key, value, inner) ??
      drawValue(key, value, inner) ??
      (screen.columns < minColumns ? wrap(JSON.stringify(value), inner.columns) : undefined);
    if (inline) return inline.map((line, n) => `${n === 0 ? name : ' '.repeat(width)}${line}`.trimEnd());
    return [screen.paint('dim', names[i]!), ...drawNested(value, narrowScreen(screen, 2)).map((line) => `  ${line}`)];
  });
}

// Deeply nested records that leave fewer columns than this are printed as JSON.
const minColumns = 30;

/** Draws a plain value or a list of them; undefined for records, which do not fit next to a name. */
function drawValue(key: string, value: unknown, screen: Screen): string[] | undefined {
  if (isEmpty(value)) return [screen.paint('dim', 'none')];
  if (isRecords(value) || isPlainObject(value)) return undefined;
  if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null)) return undefined;
  if (Array.isArray(value) && value.length > 1 && value.some((item) => typeof item === 'string' && /\s/.test(item)))
    return value.flatMap((item) => drawBullet('-', String(item), screen));
  if (typeof value === 'string' && !formatTime(value)) return wrap(value, screen.columns);
  const { text, colour } = toCell(key, value);
  return wrap(text, screen.columns).map((line) => (colour ? screen.paint(colour, line) : line));
}

function drawNested(value: unknown, screen: Screen): string[] {
  if (isRecords(value)) return drawRecords(value, screen);
  if (Array.isArray(value))
    return value.flatMap((item) => (isPlainObject(item) ? drawFields(item, screen) : wrap(String(item), screen.columns)));
  return drawFields(value as Fields, screen);
}

/** Draws many records: as a table if the screen is wide enough and no cell holds records of its own, else one after the other. */
export function drawRecords(items: Fields[], screen: Screen): string[] {
  const isDeep = listKeys(items).some((key) => items.some((item) => isRecords(item[key]) && !item[key].every(formatId)));
  const rows = isDeep ? undefined : drawTable(items, screen);
  return rows ?? drawEach(items, (item) => drawRecord(item, screen));
}

/** Draws fields of tasks that many operations return and that read better as sentences than as rows. */
export function drawKnownField(key: string, value: unknown, screen: Screen): string[] | undefined {
  if (isClaim(key, value)) return wrap(formatClaim(value, screen.now), screen.columns);
  if (isRoot(key, value)) return [drawNode(value, screen)];
  if (isProgress(key, value)) return [drawProgress(value, screen)];
  if (!isRecords(value)) return undefined;
  if (key === 'acceptance')
    return value.flatMap((item) =>
      drawBullet(item.met ? screen.paint('green', '☑') : '☐', toOneLine(String(item.text ?? item.gate ?? item.target ?? '')), screen),
    );
  if (key === 'reasons' && value.every((item) => typeof item.points === 'number'))
    return value.flatMap((item) =>
      drawBullet(formatPoints(Number(item.points)), toOneLine(String(item.term ?? item.reason ?? '')), screen),
    );
  if (key === 'notes')
    return value.flatMap((item) => [
      screen.paint('dim', truncate(`${formatTime(item.at) ?? toOneLine(String(item.at))} ${toOneLine(String(item.by))}`, screen.columns)),
      ...wrap(String(item.text), screen.columns),
    ]);
  if (key === 'relations')
    return value.flatMap((item) =>
      drawBullet(item.direction === 'from' ? '←' : '→', `${item.type} ${item.taskId}: ${escapeControls(String(item.reason))}`, screen),
    );
  return undefined;
}

const formatPoints = (points: number): string => (points > 0 ? `+${points}` : points < 0 ? String(points) : '·');

// `--fields` may have removed what these draw; then the field is drawn by its shape.
export const isClaim = (key: string, value: unknown): value is Fields => key === 'claim' && isPlainObject(value) && 'agent' in value;
export const isRoot = (key: string, value: unknown): value is Fields => key === 'root' && isPlainObject(value) && 'title' in value;
export const isProgress = (key: string, value: unknown): value is Fields =>
  key === 'progress' && isPlainObject(value) && 'percent' in value;

function formatClaim({ agent, session, since, until, state, lastSeen }: Fields, now: string): string {
  const lapse = until === undefined || state ? '' : `, ${String(until) < now ? 'lapsed' : 'lapses'} ${formatAge(until, now)}`;
  const absence = state ? `, ${state}, last seen ${formatAge(lastSeen, now)}` : '';
  return toOneLine(`${agent}${session ? ` in ${session}` : ''}, taken ${formatAge(since, now)}${absence}${lapse}`);
}
