import type { Colour } from './screen.ts';
import { clean, oneLine } from './text.ts';

export type Fields = Record<string, unknown>;

/** A value on one line, and its colour; measured and cut before it is painted. */
export interface Cell {
  text: string;
  colour?: Colour;
}

const marks: Record<string, Cell> = {
  pending: { text: '○' },
  active: { text: '◐', colour: 'cyan' },
  blocked: { text: '⊘', colour: 'red' },
  done: { text: '✓', colour: 'green' },
  suspended: { text: '‖', colour: 'yellow' },
  ended: { text: '■', colour: 'dim' },
  error: { text: '✗', colour: 'red' },
  warning: { text: '!', colour: 'yellow' },
  info: { text: '·', colour: 'dim' },
  ok: { text: '✓', colour: 'green' },
};
const urgency: Record<string, Colour> = { critical: 'red', high: 'yellow', low: 'dim' };
const tierPrefix: Record<string, string> = { saga: 'SG-', epic: 'E-' };

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
export const isRecords = (value: unknown): value is Fields[] => Array.isArray(value) && value.length > 0 && value.every(isFields);
export const isEmpty = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) ? value.length === 0 : isFields(value) && Object.keys(value).length === 0);

export const markOf = (value: unknown): Cell | undefined =>
  typeof value === 'string' && Object.hasOwn(marks, value) ? marks[value] : undefined;

/** An id as it is shown: the tier stands before it, the project it is in before that. */
export function idOf(record: Fields): string {
  const id = record.id ?? record.taskId;
  if (id === undefined) return '';
  const [, project = '', own = ''] = /^(.*:)?(.*)$/s.exec(String(id)) ?? [];
  return oneLine(`${project}${tierPrefix[String(record.type)] ?? ''}${own}`);
}

/** `createdAt` → `created`, `parentId` → `parent`, `wouldCreate` → `would create`. */
export function labelOf(key: string): string {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return oneLine(words.replace(/ (at|id)$/, ''));
}

export function cellOf(key: string, value: unknown, record: Fields = {}): Cell {
  if (value === undefined || value === null) return { text: '' };
  if (key === 'id' || key === 'taskId') return { text: idOf({ ...record, id: value }), colour: 'cyan' };
  if (key === 'slug') return { text: oneLine(String(value)), colour: 'cyan' };
  if (key === 'status' || key === 'severity' || key === 'level') {
    const mark = markOf(value);
    return {
      text: mark ? `${mark.text} ${oneLine(String(value))}` : oneLine(String(value)),
      ...(mark?.colour ? { colour: mark.colour } : {}),
    };
  }
  if (key === 'priority' && typeof value === 'string') return { text: oneLine(value), ...colourOf(urgency[value]) };
  if (typeof value === 'string') return { text: timeOf(value) ?? oneLine(value) };
  if (typeof value === 'boolean') return value ? { text: 'yes', colour: 'green' } : { text: 'no', colour: 'dim' };
  if (isRecords(value)) return { text: value.every((item) => idOf(item)) ? value.map(idOf).join(', ') : String(value.length) };
  if (Array.isArray(value)) return { text: value.map((item) => cellOf('', item).text).join(', ') };
  if (isFields(value))
    return {
      text: Object.entries(value)
        .map(([name, item]) => `${labelOf(name)} ${cellOf(name, item).text}`)
        .join(', '),
    };
  return { text: clean(String(value)) };
}

const colourOf = (colour: Colour | undefined): { colour?: Colour } => (colour ? { colour } : {});

/** To the minute, UTC; the rest of a time stamp is for machines. */
export function timeOf(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/.exec(value) : undefined;
  return parts ? `${parts[1]} ${parts[2]}` : undefined;
}

const units: [letter: string, minutes: number][] = [
  ['w', 10_080],
  ['d', 1440],
  ['h', 60],
  ['m', 1],
];

/** How long before the answer, in the unit that says it best: `5m ago`, `3h ago`, `2d ago`; what is yet to come is `in 4h`. */
export function ageOf(value: unknown, now: string): string {
  const minutes = (Date.parse(now) - Date.parse(String(value))) / 60_000;
  if (Number.isNaN(minutes)) return timeOf(value) ?? oneLine(String(value));
  if (Math.abs(minutes) < 1) return 'now';
  // What is past has lasted at least this long; what is to come comes within.
  const isPast = minutes > 0;
  const span = isPast ? Math.floor(minutes) : Math.ceil(-minutes);
  const [letter, size] = units.find(([, each]) => span >= each)!;
  return isPast ? `${Math.floor(span / size)}${letter} ago` : `in ${Math.ceil(span / size)}${letter}`;
}
