import { defined, isPlainObject } from '#lib/collections.ts';
import { pluralize } from '#lib/noun.ts';
import type { Colour, Screen } from './screen.ts';
import { escapeControls, toOneLine } from './text.ts';

export type Fields = Record<string, unknown>;

/** A value on one line and its colour. It is measured and truncated before it is painted. */
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
const priorityColours: Record<string, Colour> = { critical: 'red', high: 'yellow', low: 'dim' };
const tierPrefix: Record<string, string> = { saga: 'SG-', epic: 'E-' };

export const isRecords = (value: unknown): value is Fields[] => Array.isArray(value) && value.length > 0 && value.every(isPlainObject);
export const isEmpty = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0);

/** Turns one record or a list into a list of records; anything else is left out. */
export const toRecords = (value: unknown): Fields[] => [value].flat().filter(isPlainObject);

export const getMark = (value: unknown): Cell | undefined =>
  typeof value === 'string' && Object.hasOwn(marks, value) ? marks[value] : undefined;

export const paintCell = ({ text, colour }: Cell, { paint }: Pick<Screen, 'paint'>): string => (colour ? paint(colour, text) : text);

/** Formats an id with the prefix of its tier, and its project in front: `web:E-T001`. */
export function formatId(record: Fields): string {
  const id = record.id ?? record.taskId;
  if (id === undefined) return '';
  const [, project = '', own = ''] = /^(.*:)?(.*)$/s.exec(String(id)) ?? [];
  return toOneLine(`${project}${tierPrefix[String(record.type)] ?? ''}${own}`);
}

/** `createdAt` → `created`, `parentId` → `parent`, `wouldCreate` → `would create`. */
export function toLabel(key: string): string {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return toOneLine(words.replace(/ (at|id)$/, ''));
}

export function toCell(key: string, value: unknown, record: Fields = {}): Cell {
  if (value === undefined || value === null) return { text: '' };
  if (key === 'id' || key === 'taskId') return { text: formatId({ ...record, id: value }), colour: 'cyan' };
  if (key === 'slug') return { text: toOneLine(String(value)), colour: 'cyan' };
  if (key === 'status' || key === 'severity' || key === 'level') {
    const mark = getMark(value);
    const text = toOneLine(String(value));
    return defined({ text: mark ? `${mark.text} ${text}` : text, colour: mark?.colour });
  }
  if (key === 'priority' && typeof value === 'string') return defined({ text: toOneLine(value), colour: priorityColours[value] });
  if (typeof value === 'string') return { text: formatTime(value) ?? toOneLine(value) };
  if (typeof value === 'boolean') return value ? { text: 'yes', colour: 'green' } : { text: 'no', colour: 'dim' };
  if (isRecords(value)) return { text: value.every((item) => formatId(item)) ? value.map(formatId).join(', ') : String(value.length) };
  if (Array.isArray(value)) return { text: value.map((item) => toCell('', item).text).join(', ') };
  if (isPlainObject(value))
    return {
      text: Object.entries(value)
        .map(([name, item]) => `${toLabel(name)} ${toCell(name, item).text}`)
        .join(', '),
    };
  return { text: escapeControls(String(value)) };
}

// Each part of the build has a copy of this file, so the setting is shared through the global object.
const shared = globalThis as typeof globalThis & { cleoUsesLocalTime?: boolean };

/** Chooses the time zone of `formatTime`: the zone of the user, or UTC. */
export const setLocalTime = (isLocal: boolean): void => {
  shared.cleoUsesLocalTime = isLocal;
};

/** Formats a timestamp to the minute; undefined if the value is not a timestamp. */
export function formatTime(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/.exec(value) : undefined;
  if (!parts) return undefined;
  const time = new Date(String(value));
  if (!shared.cleoUsesLocalTime || Number.isNaN(time.getTime())) return `${parts[1]} ${parts[2]}`;
  const [month, day, hours, minutes] = [time.getMonth() + 1, time.getDate(), time.getHours(), time.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${String(time.getFullYear()).padStart(4, '0')}-${month}-${day} ${hours}:${minutes}`;
}

const units: [letter: string, minutes: number][] = [
  ['w', 10_080],
  ['d', 1440],
  ['h', 60],
  ['m', 1],
];

/** Formats a timestamp relative to `now` in its largest unit: `5m ago`, `3h ago`, `2d ago`; a future one as `in 4h`. */
export function formatAge(value: unknown, now: string): string {
  const minutes = (Date.parse(now) - Date.parse(String(value))) / 60_000;
  if (Number.isNaN(minutes)) return formatTime(value) ?? toOneLine(String(value));
  if (Math.abs(minutes) < 1) return 'now';
  // Rounded down for the past and up for the future: `3h ago` is at least three hours, `in 4h` at most four.
  const isPast = minutes > 0;
  const span = isPast ? Math.floor(minutes) : Math.ceil(-minutes);
  const [letter, size] = units.find(([, each]) => span >= each)!;
  return isPast ? `${Math.floor(span / size)}${letter} ago` : `in ${Math.ceil(span / size)}${letter}`;
}

/** `1 task`, `2 tasks`. */
export const formatCount = (count: unknown, noun: string): string => pluralize(Number(count), noun);
