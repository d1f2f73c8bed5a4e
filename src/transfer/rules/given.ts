import { CleoError } from '#core/errors/error.ts';
import { isMap } from '#lib/is-map.ts';
import { isoTime } from '#lib/iso-time.ts';
import { readJsonc } from '#lib/jsonc.ts';
import type { ForeignFile, ForeignTask, GivenFile, Loss } from '../model/foreign.ts';

/** A file that is torn, or not of the tool: nothing of anything is imported. */
export function refused(file: string, problem: string, at: { line?: number; column?: number } = {}): CleoError {
  const place = [`${file || 'the text'}`, at.line ? `line ${at.line}` : '', at.column ? `column ${at.column}` : '']
    .filter(Boolean)
    .join(', ');
  return new CleoError('E_INVALID_INPUT', { problem: `${place}: ${problem}; nothing was imported`, fix: 'cleo help import' });
}

/** The text as tools on any system would have written it: no mark before it, one kind of line end. */
export const plainText = (text: string): string => text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');

/** The objects of a JSON file: of its list, of one object, or one a line with or without a comma behind it. */
export function recordsOf(file: GivenFile): Record<string, unknown>[] {
  const text = plainText(file.text);
  if (text.trim() === '') throw refused(file.name, 'it is empty');
  const whole = attempt(text);
  if (whole.error === undefined) {
    const list = Array.isArray(whole.value) ? whole.value.flat() : [whole.value];
    return list.map((value) => {
      if (isMap(value)) return value;
      throw refused(file.name, `${shown(value).slice(0, 40)} is no object`);
    });
  }
  const lines = text.split('\n').map((line, i) => ({ line: line.trim().replace(/,$/, ''), n: i + 1 }));
  const filled = lines.filter(({ line }) => line !== '' && line !== '[' && line !== ']');
  const first = filled[0] && attempt(filled[0].line);
  if (text.trimStart().startsWith('[') || first?.error !== undefined || !isMap(first?.value))
    throw refused(file.name, 'it is not valid JSON', placeOf(text, whole.error));
  return filled.map(({ line, n }) => {
    const read = attempt(line);
    if (read.error === undefined && isMap(read.value)) return read.value;
    throw refused(file.name, 'the line is not valid JSON', { line: n, column: placeOf(line, read.error).column ?? 1 });
  });
}

function attempt(text: string): { value: unknown; error?: undefined } | { error: string; value?: undefined } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** V8 tells the position in some of its messages; the end of the text and, by our own reader, the line are known in the others. */
function placeOf(text: string, message = ''): { line?: number; column?: number } {
  const told = /at position (\d+)/.exec(message)?.[1];
  const at = told ? Number(told) : /end of JSON/.test(message) ? text.trimEnd().length : undefined;
  if (at === undefined) {
    const read = readJsonc(text);
    return 'problem' in read ? { line: read.line } : {};
  }
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** What a reader found. One task told twice in the same words is one; in different words nobody knows which is meant. */
export function foreignFile(
  source: string,
  tasks: ForeignTask[],
  losses: Loss[],
  where: Map<ForeignTask, string> = new Map(),
): ForeignFile {
  const byId = new Map<string, ForeignTask>();
  for (const task of tasks) {
    const other = byId.get(task.id);
    if (other && JSON.stringify(other) !== JSON.stringify(task)) {
      const places = [...new Set([where.get(other), where.get(task)])].filter(Boolean).join(' and ');
      throw new CleoError('E_ID_COLLISION', {
        id: task.id,
        problem: refused(places, `${task.id} is there twice and differs`).message,
        fix: 'cleo help import',
      });
    }
    byId.set(task.id, task);
  }
  return { source, tasks: [...byId.values()], losses };
}

/** A value in a few words. One that is nested a hundred thousand times cannot be told, and must not end the program. */
export function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'something too deep';
  }
}

/** The entry of a table; a word that every object answers to, such as `constructor`, is none. */
export const among = <T>(table: Record<string, T>, key: string): T | undefined => (Object.hasOwn(table, key) ? table[key] : undefined);

/** UTC, as we write it, of a moment or a day; undefined where it is none. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const found = /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/.exec(
    value.trim(),
  );
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = Date.UTC(year, month - 1, day, hour, minute, second, Number((found[7] ?? '').padEnd(3, '0').slice(0, 3)));
  // A thirtieth of February would become a day in March.
  if (year < 1000 || !isoTime(ms).startsWith(`${found[1]}-${found[2]}-${found[3]}T`) || hour > 23 || minute > 59 || second > 59)
    return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(found[8] ?? '') ?? [];
  return isoTime(sign ? ms - (sign === '+' ? 1 : -1) * (Number(hours) * 60 + Number(minutes)) * 60_000 : ms);
}

/** A label of ours: lower case, accents off, one dash for what it may not hold; undefined where nothing is left. */
export function labelOf(text: string): string | undefined {
  const label = text
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._:/-]+/g, '-')
    .replace(/-*([:/])-*/g, '$1')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  return /[a-z0-9]/.test(label) ? label : undefined;
}

/** Labels as ours, each once; those of which nothing is left are reported. */
export function keptLabels(names: string[], lose: Lose): string[] {
  const kept = new Set<string>();
  for (const name of names) {
    const label = labelOf(name);
    if (label) kept.add(label);
    if (label?.length === 50 && name.length > 50) lose('labels', `${JSON.stringify(name.slice(0, 60))} is longer than 50 characters`);
    if (!label) lose('labels', `${shown(name.slice(0, 60))} holds nothing that a label may hold`);
  }
  return [...kept];
}

export type Lose = (field: string, why: string) => void;

/** `{ [key]: time }` where the value is a time; one that is none is reported. */
export function when<K extends string>(key: K, value: unknown, lose: Lose): { [k in K]?: string } {
  const at = timeOf(value);
  if (!at && value !== undefined && value !== null && value !== '') lose(key, `${shown(value).slice(0, 60)} is no time`);
  return (at ? { [key]: at } : {}) as { [k in K]?: string };
}

/** What has no place of its own in a task stands below its description, one line each. */
export function withRest(description: string, tool: string, rest: [string, string][]): { description?: string } {
  const list = rest.length > 0 ? `From ${tool}:\n${rest.map(([field, value]) => `- ${field}: ${value}`).join('\n')}` : '';
  const text = [description.trim(), list].filter(Boolean).join('\n\n');
  return text ? { description: text } : {};
}

/** The texts of a list, or of a text with commas. */
export function texts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return list
    .filter((one): one is string => typeof one === 'string')
    .map((one) => one.trim())
    .filter(Boolean);
}
