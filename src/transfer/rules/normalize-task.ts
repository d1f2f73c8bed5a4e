import { type Priority, parseTaskId, type TaskType } from '#core/model/scalars.ts';
import { isStorable } from '#core/model/storable.ts';
import { defined, removeDuplicates } from '#lib/collections.ts';
import type { ForeignTask, ImportLoss } from '../model/foreign.ts';
import { createLossReporter, normalizeLabels, parseDate, parseTime, type ReportLoss } from './source-values.ts';

/** A foreign task whose texts, labels and times satisfy the schema of tasks. Links still use the ids of the source. */
export interface NormalizedTask extends Omit<ForeignTask, 'type' | 'container'> {
  priority: Priority;
  hint?: TaskType;
  related: string[];
  files: string[];
  isArchived: boolean;
}

/** Adapts a task to the limits of the schema. Text that is too long continues in the description or in notes, and is reported. */
export function normalizeTask(source: string, task: ForeignTask, losses: ImportLoss[]): NormalizedTask {
  const reportLoss = createLossReporter(losses, task.id);
  const toStorable = (field: string, text: string): string => {
    if (isStorable(text)) return text;
    reportLoss(field, 'contained NUL or lone surrogates; they were removed');
    return text.replaceAll('\0', '').toWellFormed();
  };
  const title = normalizeTitle(toStorable('title', task.title), reportLoss);
  const fullDescription = [title.full, toStorable('description', task.description ?? '')].filter((text) => text?.trim()).join('\n\n');
  const [description, ...continuations] = splitText(fullDescription, maxDescriptionLength, maxNoteLength);
  if (continuations.length > 0) reportLoss('description', `longer than ${maxDescriptionLength} characters; it continues in notes`);
  const criteria = task.acceptance
    .map(({ text, met }) => ({ text: toStorable('acceptance', text).trim(), met }))
    .filter(({ text }, i, all) => text !== '' && all.findIndex((other) => other.text === text) === i);
  const longCriteria = criteria.filter(({ text }) => text.length > maxCriterionLength);
  for (const _ of longCriteria) reportLoss('acceptance', `longer than ${maxCriterionLength} characters; the full text is in a note`);
  const files = (task.files ?? []).filter((path) => {
    const isPath = path.length > 0 && path.length <= 1000 && isStorable(path) && !controls.test(path);
    if (!isPath) reportLoss('files', `${JSON.stringify(path).slice(0, 80)} is not a path`);
    return isPath;
  });
  const toTime = (field: 'createdAt' | 'updatedAt' | 'startedAt' | 'completedAt'): string | undefined => {
    const value = task[field];
    const at = normalizeTime(value);
    if (value !== undefined && !at) reportLoss(field, `${JSON.stringify(value).slice(0, 60)} is not a time`);
    return at;
  };
  const notes = [
    ...continuations.map((text) => defined({ text, at: normalizeTime(task.updatedAt) })),
    ...longCriteria.map(({ text }) => ({ text })),
    ...task.notes.map((note) => ({ ...note, text: toStorable('notes', note.text) })),
  ].flatMap(splitNote);
  return {
    id: task.id,
    title: title.text,
    ...defined({
      uid: task.uid,
      description,
      hint: task.type,
      parent: task.parent || undefined,
      impliedParent: task.impliedParent || undefined,
      createdBy: toPersonName(task.createdBy ?? ''),
      assignee: toPersonName(task.assignee ?? ''),
      due: normalizeDate(task.due, reportLoss),
      size: task.size,
      phase: task.phase,
      resolution: task.status === 'done' ? task.resolution : undefined,
    }),
    status: task.status,
    ...(task.status === 'blocked' ? { blockedBy: normalizeReason(source, toStorable('blockedBy', task.blockedBy ?? '').trim()) } : {}),
    priority: task.priority ?? 'medium',
    depends: removeDuplicates(task.depends),
    related: removeDuplicates(task.related ?? []),
    labels: normalizeLabels(task.labels, reportLoss),
    acceptance: criteria.map(({ text, met }) => ({ text: shorten(text, maxCriterionLength), met })),
    notes,
    files: removeDuplicates(files),
    isArchived: task.isArchived === true,
    ...defined({
      createdAt: toTime('createdAt'),
      updatedAt: toTime('updatedAt'),
      startedAt: toTime('startedAt'),
      completedAt: toTime('completedAt'),
    }),
  };
}

const maxTitleLength = 200;
const maxDescriptionLength = 8000;
const maxNoteLength = 4000;
const maxCriterionLength = 1000;
const controls = /[\u0000-\u001f\u007f-\u009f]/;

function normalizeTitle(title: string, reportLoss: ReportLoss): { text: string; full?: string } {
  const text = title.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  if (text === '') reportLoss('title', 'is missing');
  if (text.length <= maxTitleLength) return { text: text || '(no title)' };
  reportLoss('title', `longer than ${maxTitleLength} characters; the full text is in the description`);
  return { text: shorten(text, maxTitleLength), full: text };
}

/** Prefixes a reason that consists of ids, which would otherwise read as dependencies on unrelated tasks. */
function normalizeReason(source: string, reason: string): string {
  const isIds = reason !== '' && reason.split(/[\s,]+/).every((word) => parseTaskId(word) !== undefined);
  if (reason === '' || isIds) return `blocked in ${source}${reason ? ` by ${reason}` : ''}`;
  return shorten(reason, maxCriterionLength);
}

const splitNote = ({ at, by, text }: NormalizedTask['notes'][number]): NormalizedTask['notes'] => {
  const time = normalizeTime(at);
  const author = toPersonName(by ?? '');
  return splitText(text, maxNoteLength, maxNoteLength).map((part) => defined({ text: part, at: time, by: author }));
};

/** Most times were normalized by the reader; the pattern avoids parsing ten thousand of them twice. */
const normalizeTime = (value: string | undefined): string | undefined =>
  value !== undefined && /^\d{4}-(?:0[1-9]|1[0-2])-(?:[0-2]\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/.test(value)
    ? value
    : parseTime(value);

const normalizeDate = (date: string | undefined, reportLoss: ReportLoss): string | undefined => {
  const due = date === undefined ? undefined : parseDate(date);
  if (date !== undefined && !due) reportLoss('due', `${JSON.stringify(date).slice(0, 60)} is not a date`);
  return due;
};

const maxNameLength = 100;

/** Keeps a name as its owner writes it; only line breaks and other control characters are replaced. */
export const toPersonName = (name: string): string | undefined => {
  const clean = name
    .slice(0, 1000)
    .toWellFormed()
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim();
  return clean.slice(0, findSafeEnd(clean, maxNameLength)).trim() || undefined;
};

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, findSafeEnd(text, length - 1)).trimEnd()}…` : text;

/** Avoids cutting a surrogate pair in half. */
const findSafeEnd = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text[end - 1] ?? '') && end < text.length ? end - 1 : end;

function splitText(text: string, first: number, next: number): string[] {
  const parts: string[] = [];
  const trimmedEnd = text.trimEnd().length;
  for (let at = 0; at < trimmedEnd; ) {
    const maxLength = parts.length === 0 ? first : next;
    // One character more than fits shows whether the text goes on.
    const rest = text.slice(at, at + maxLength + 1);
    // Prefers a line break in the second half.
    const line = rest.length > maxLength ? rest.lastIndexOf('\n', maxLength) : -1;
    const end = rest.length <= maxLength ? rest.length : line > maxLength / 2 ? line : findSafeEnd(rest, maxLength);
    const part = rest.slice(0, end);
    if (part.trim() !== '') parts.push(part);
    at += end;
  }
  return parts;
}
