import { CleoError } from '#core/errors/error.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { findJsonProblem } from '#lib/jsonc.ts';
import { checkJson, stripBom } from '#lib/parse-json.ts';
import { slugify } from '#lib/slug.ts';
import {
  type ForeignData,
  type ForeignMemory,
  type ForeignStream,
  type ForeignTask,
  type ImportLoss,
  listChunks,
  readWhole,
  type SourceFile,
} from '../model/foreign.ts';
import { createDuplicateResolver, hashContent } from './duplicates.ts';
import { splitRecords } from './split-records.ts';

/** For a damaged file or one that the tool did not write; the whole import fails. */
export function createImportError(file: string, problem: string, at: { line?: number; column?: number } = {}): CleoError {
  const location = [file || 'the text', at.line ? `line ${at.line}` : '', at.column ? `column ${at.column}` : '']
    .filter(Boolean)
    .join(', ');
  return new CleoError('E_INVALID_INPUT', { problem: `${location}: ${problem}; nothing was imported`, fix: 'cleo help import' });
}

/** Removes the byte order mark and converts line endings to `\n`. */
export const normalizeText = (text: string): string => stripBom(text).replace(/\r\n?/g, '\n');

export type SourceFields = Record<string, unknown>;

/** A record of a file and its position: `entry 3`, or `issues.jsonl entry 3` if there are several files. */
interface SourceRecord {
  record: SourceFields;
  where: string;
}

/** Parses the objects of a file: a JSON list, a single object, or JSON Lines, with or without trailing commas. A record that is not an
 *  object is reported and skipped. Throws if the file is empty or contains no object at all. */
export function* parseRecords(file: SourceFile, losses: ImportLoss[]): Generator<SourceRecord> {
  let count = 0;
  let hasObject = false;
  let firstProblem: CleoError | undefined;
  for (const { text, line, isTorn } of splitRecords(listChunks(file))) {
    count += 1;
    const where = [file.name, `entry ${count}`].filter(Boolean).join(' ');
    const read = checkJson(text);
    if ('value' in read && isPlainObject(read.value)) {
      hasObject = true;
      yield { record: read.value, where };
      continue;
    }
    const problem =
      'value' in read
        ? `it is not an object: ${JSON.stringify(formatValue(read.value).slice(0, 40))}`
        : isTorn
          ? 'the file ends inside it'
          : 'it is not valid JSON';
    const found = 'value' in read ? undefined : findJsonProblem(text.slice(0, maxProblemLength));
    const position = { line: line + (found ? found.line - 1 : 0), ...(found ? { column: found.column } : {}) };
    firstProblem ??= createImportError(file.name, 'value' in read ? problem : 'it is not valid JSON', position);
    losses.push({ id: where, field: 'task', why: `line ${line}: ${problem}; skipped`, isProblem: true });
  }
  if (count === 0 && isBlank(file)) throw createImportError(file.name, 'it is empty');
  if (!hasObject && firstProblem) throw firstProblem;
}

const maxProblemLength = 100_000;

function isBlank(file: SourceFile): boolean {
  for (const chunk of listChunks(file)) if (/[^\s\ufeff]/.test(chunk)) return false;
  return true;
}

/** Reads several files. A file that cannot be read is reported; only if none can be read is the import an error. */
export function* readEach<T>(files: SourceFile[], losses: ImportLoss[], read: (file: SourceFile) => Iterable<T>): Generator<T> {
  let failure: CleoError | undefined;
  let hasRead = false;
  for (const file of files) {
    try {
      yield* read(file);
      hasRead = true;
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      failure ??= error;
      losses.push({ id: file.name || 'the text', field: 'file', why: toSkipReason(error, file.name), isProblem: true });
    }
  }
  if (!hasRead && failure) throw failure;
}

/** Reads a file that only completes the others, such as a configuration. One that is empty says nothing; one that cannot be read is
 *  reported. */
export function* readSideFile<T>(file: SourceFile, losses: ImportLoss[], read: (file: SourceFile) => Iterable<T>): Generator<T> {
  try {
    if (!isBlank(file)) yield* read(file);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    losses.push({ id: file.name, field: 'file', why: toSkipReason(error, file.name), isProblem: true });
  }
}

/** Reads the text of such a file; without one, the text is empty. */
export const readSideText = (file: SourceFile | undefined, losses: ImportLoss[]): string =>
  file ? [...readSideFile(file, losses, (one) => [readWhole(one)])].join('') : '';

const toSkipReason = ({ message }: CleoError, name: string): string =>
  `${message.replace(/; nothing was imported$/, '').replace(`${name}: `, '')}; skipped`;

/** Creates the lists that a reader fills. The tasks can be read several times; only the first reading fills the lists. */
export function createStream(
  source: string,
  read: (lists: Omit<ForeignStream, 'source' | 'tasks'>) => Iterable<ForeignTask>,
): ForeignStream {
  const lists = { losses: [], memories: [], deletedIds: [] };
  let isFirst = true;
  const startReading = (): Iterator<ForeignTask> => {
    const filled = isFirst
      ? lists
      : { losses: createSink<ImportLoss>(), memories: createSink<ForeignMemory>(), deletedIds: createSink<string>() };
    isFirst = false;
    return read(filled)[Symbol.iterator]();
  };
  return { source, ...lists, tasks: { [Symbol.iterator]: startReading } };
}

/** A list that ignores what is added to it. */
export const createSink = <T>(): T[] => Object.assign([], { push: () => 0 });

/** Reads all tasks of a stream into memory, and resolves duplicate ids. */
export function collectSourceTasks(stream: ForeignStream): ForeignData {
  const tasks: ForeignTask[] = [];
  const resolve = createDuplicateResolver(stream.losses);
  for (const task of stream.tasks) {
    const { id, index } = resolve(task, hashContent(JSON.stringify(task)));
    if (index !== undefined) tasks[index] = id === task.id ? task : { ...task, id };
  }
  return { ...stream, tasks };
}
/** Formats a value for a message. `JSON.stringify` throws if a value is nested a hundred thousand levels deep. */
export function formatValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'a deeply nested value';
  }
}

/** Parses a time or a date of any common ISO form to the form that tasks use. */
export function parseTime(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  // A large file has hundreds of thousands of times.
  if (exactTime.test(value)) return value;
  const found = /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/.exec(
    value.trim(),
  );
  if (!found) return undefined;
  const toNumber = (i: number): number => Number(found[i] ?? 0);
  const [year, month, day] = [toNumber(1), toNumber(2), toNumber(3)];
  const [hour, minute, second] = [toNumber(4), toNumber(5), toNumber(6)];
  const ms = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3));
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms));
  // `Date.UTC` turns February 30 into a day in March.
  const isDate = month >= 1 && month <= 12 && time.getUTCDate() === day;
  if (year < 1000 || !isDate || hour > 23 || minute > 59 || second > 59) return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(found[8] ?? '') ?? [];
  const offsetMs = sign ? (sign === '+' ? 1 : -1) * (Number(hours) * 60 + Number(minutes)) * 60_000 : 0;
  return (offsetMs === 0 ? time : new Date(time.getTime() - offsetMs)).toISOString();
}

/** A valid time in the form that tasks use. Leaves out the last days of a month, which not every month has. */
const exactTime = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Checks whether a time is before another one. Tools write seconds or minutes: only the part that both have is compared. */
export function isEarlier(time: string, other: string): boolean {
  const length = Math.min(...[time, other].map((at) => (at.endsWith(':00.000Z') ? 16 : at.endsWith('.000Z') ? 19 : 24)));
  return time.slice(0, length) < other.slice(0, length);
}

/** Parses the date of a time as it is written, whatever its zone: `2026-01-31`. */
export function parseDate(value: unknown): string | undefined {
  const [, year, month, day] = parseTime(value) ? (/^\s*(\d{4})-?(\d{2})-?(\d{2})/.exec(String(value)) ?? []) : [];
  return year ? `${year}-${month}-${day}` : undefined;
}

/** Converts a name to a label: lower case, no accents, a dash for other characters. Undefined if nothing remains. */
export function toTaskLabel(text: string): string | undefined {
  // Most names are labels already.
  if (/^[a-z0-9](?:[a-z0-9._:/]|-(?=[a-z0-9])(?<![:/]-)){0,49}$/.test(text)) return text;
  return slugify(text, { maxLength: 50, allow: '._:/-' }).replace(/-*([:/])-*/g, '$1') || undefined;
}

/** Converts names to labels; empty names are left out. */
export function normalizeLabels(names: (string | false | undefined)[], reportLoss: ReportLoss): string[] {
  const labels = new Set<string>();
  for (const name of names) {
    if (!name) continue;
    const label = toTaskLabel(name);
    if (label) labels.add(label);
    if (label?.length === 50 && name.length > 50) reportLoss('labels', `${JSON.stringify(name.slice(0, 60))} is longer than 50 characters`);
    if (!label) reportLoss('labels', `${formatValue(name.slice(0, 60))} contains no character that a label can contain`);
  }
  return [...labels];
}

export type ReportLoss = (field: string, why: string) => void;

export const createLossReporter =
  (losses: ImportLoss[], id: string): ReportLoss =>
  (field, why) =>
    void losses.push({ id, field, why: why.length > maxReasonLength ? `${why.slice(0, maxReasonLength)}…` : why });

/** A reason quotes values of the file, which can be of any length. */
const maxReasonLength = 500;

/** Parses the values and leaves out those that are not times. */
export function pickTimes<K extends string>(values: Record<K, unknown>, reportLoss: ReportLoss): { [k in K]?: string } {
  const times: { [k in K]?: string } = {};
  for (const [key, value] of Object.entries(values) as [K, unknown][]) {
    const at = parseTime(value);
    if (at) times[key] = at;
    else if (value !== undefined && value !== null && value !== '') reportLoss(key, `${formatValue(value).slice(0, 60)} is not a time`);
  }
  return times;
}

/** Lists and reports the fields that tasks do not have, without empty ones and those that `skips` selects. */
export function listUnmapped(
  record: Record<string, unknown>,
  skips: (field: string, value: unknown) => boolean,
  reportLoss: ReportLoss,
): [string, string][] {
  return Object.entries(record).flatMap(([field, value]): [string, string][] => {
    const isEmpty = value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
    if (isEmpty || skips(field, value)) return [];
    reportLoss(field, unmappedField);
    return [[field, toText(value) || formatValue(value)]];
  });
}

/** Appends fields that a task does not have to the description, one per line. */
export function addUnmappedFields(description: string, tool: string, unmapped: [string, string][]): { description?: string } {
  const list = unmapped.length > 0 ? `From ${tool}:\n${unmapped.map(([field, value]) => `- ${field}: ${value}`).join('\n')}` : '';
  return defined({ description: joinParagraphs(description.trim(), list) || undefined });
}

/** Reads a list of texts, or a text with commas. */
export function toTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return list
    .filter((item): item is string => typeof item === 'string')
    .map((item) => item.trim())
    .filter(Boolean);
}

/** Each line is a criterion; it is met if its box is ticked. Some converters write a list. */
export function parseCriteria(value: unknown): ForeignTask['acceptance'] {
  const lines = Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : toText(value).split(/\r?\n/);
  return lines.flatMap((line) => {
    const [, box, words] = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[([ xX])\]\s*)?([\s\S]*)$/.exec(line.trimEnd()) ?? [];
    return words ? [{ text: words, met: /x/i.test(box ?? '') }] : [];
  });
}

export const toFieldsList = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isPlainObject) : []);

export const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns a function that decides for each line of Markdown, in order, whether it belongs to a code block. */
export function createCodeDetector(): (line: string) => boolean {
  let fence = '';
  return (line) => {
    const sign = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3) ?? '';
    if (fence ? sign === fence : sign) fence = fence ? '' : sign;
    return Boolean(fence || sign);
  };
}

/** Joins paragraphs, leaving out empty ones. */
export const joinParagraphs = (...paragraphs: string[]): string => paragraphs.filter(Boolean).join('\n\n');

/** Message for a field that tasks do not have; `addUnmappedFields` puts it into the description. */
export const unmappedField = 'tasks have no such field; added to the description';
