import { canonicalId, isStorable, type Priority, type Status, type TaskType } from '#core/model/scalars.ts';
import type { ForeignTask, Loss } from '../model/foreign.ts';
import { keptLabels, type Lose, timeOf } from './given.ts';

/** A foreign task whose texts, labels and times are such as ours may be; what it is tied to still has the tool's names. */
export interface Fitted {
  id: string;
  title: string;
  description?: string;
  status: Status;
  blockedBy?: string;
  priority: Priority;
  hint?: TaskType;
  parent?: string;
  depends: string[];
  related: string[];
  labels: string[];
  acceptance: { text: string; met: boolean }[];
  notes: { at?: string; by?: string; text: string }[];
  files: string[];
  isArchived: boolean;
  createdAt?: string;
  createdBy?: string;
  updatedAt?: string;
  startedAt?: string;
  completedAt?: string;
}

/** Nothing is cut off without a trace: what is too long stands whole in the description or goes on in notes, and is reported. */
export function fitted(source: string, task: ForeignTask, losses: Loss[]): Fitted {
  const lose: Lose = (field, why) => losses.push({ id: task.id, field, why });
  const clean = (field: string, text: string): string => {
    if (isStorable(text)) return text;
    lose(field, 'held characters that no text can hold; they were left out');
    return text.replaceAll('\0', '').toWellFormed();
  };
  const title = titleOf(clean('title', task.title), lose);
  const told = [title.whole, clean('description', task.description ?? '')].filter((text) => text?.trim()).join('\n\n');
  const [description, ...further] = pieces(told, longestDescription, longestNote);
  if (further.length > 0) lose('description', `longer than ${longestDescription} characters: it goes on in notes`);
  const criteria = task.acceptance
    .map(({ text, met }) => ({ text: clean('acceptance', text).trim(), met }))
    .filter(({ text }) => text !== '');
  const long = criteria.filter(({ text }) => text.length > longestCriterion);
  for (const _ of long) lose('acceptance', `longer than ${longestCriterion} characters: it stands whole in a note`);
  const files = task.files?.filter((path) => {
    const isPath = path.length > 0 && path.length <= 1000 && isStorable(path) && !controls.test(path);
    if (!isPath) lose('files', `${JSON.stringify(path).slice(0, 80)} is no path`);
    return isPath;
  });
  const time = (field: 'createdAt' | 'updatedAt' | 'startedAt' | 'completedAt'): { [k in typeof field]?: string } => {
    const value = task[field];
    const at = timeLike(value);
    if (value !== undefined && !at) lose(field, `${JSON.stringify(value).slice(0, 60)} is no time`);
    return at ? { [field]: at } : {};
  };
  const notes = [
    ...further
      .map((text) => ({ text, ...time('updatedAt') }))
      .map(({ text, updatedAt }) => ({ text, ...(updatedAt ? { at: updatedAt } : {}) })),
    ...long.map(({ text }) => ({ text })),
    ...task.notes.map((note) => ({ ...note, text: clean('notes', note.text) })),
  ].flatMap(noteOf);
  const createdBy = task.createdBy && agentOf(task.createdBy);
  return {
    id: task.id,
    title: title.text,
    ...(description ? { description } : {}),
    status: task.status,
    ...(task.status === 'blocked' ? { blockedBy: reasonOf(source, clean('blockedBy', task.blockedBy ?? '').trim()) } : {}),
    priority: task.priority ?? 'medium',
    ...(task.type ? { hint: task.type } : {}),
    ...(task.parent ? { parent: task.parent } : {}),
    depends: [...new Set(task.depends)],
    related: [...new Set(task.related)],
    labels: keptLabels(task.labels, lose),
    acceptance: criteria.map(({ text, met }) => ({ text: text.length > longestCriterion ? shortened(text, longestCriterion) : text, met })),
    notes,
    files: [...new Set(files)],
    isArchived: task.isArchived === true,
    ...time('createdAt'),
    ...(createdBy ? { createdBy } : {}),
    ...time('updatedAt'),
    ...time('startedAt'),
    ...time('completedAt'),
  };
}

const longestTitle = 200;
const longestDescription = 8000;
const longestNote = 4000;
const longestCriterion = 1000;
const controls = /[\u0000-\u001f\u007f-\u009f]/;

function titleOf(given: string, lose: Lose): { text: string; whole?: string } {
  const text = given.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  if (text === '') lose('title', 'there is none');
  if (text.length <= longestTitle) return { text: text || '(no title)' };
  lose('title', `longer than ${longestTitle} characters: it stands whole in the description`);
  return { text: shortened(text, longestTitle), whole: text };
}

/** A reason that looks like our ids would be read as depends on tasks that have nothing to do with it. */
function reasonOf(source: string, reason: string): string {
  const isIds = reason !== '' && reason.split(/[\s,]+/).every((word) => canonicalId(word) !== undefined);
  if (reason === '' || isIds) return `blocked in ${source}${reason ? ` by ${reason}` : ''}`;
  return reason.length > longestCriterion ? shortened(reason, longestCriterion) : reason;
}

const noteOf = ({ at, by, text }: Fitted['notes'][number]): Fitted['notes'] => {
  const time = timeLike(at);
  const agent = by && agentOf(by);
  return pieces(text, longestNote, longestNote).map((piece) => ({
    text: piece,
    ...(time ? { at: time } : {}),
    ...(agent ? { by: agent } : {}),
  }));
};

/** Most have their form already, from the reader: what that costs, ten thousand tasks would pay twice. */
const timeLike = (value: string | undefined): string | undefined =>
  value !== undefined && /^\d{4}-(?:0[1-9]|1[0-2])-(?:[0-2]\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/.test(value)
    ? value
    : timeOf(value);

/** A name as an agent may have it. */
const agentOf = (name: string): string | undefined =>
  name
    .toWellFormed()
    .replace(/[^\w.:@/-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100) || undefined;

const shortened = (text: string, length: number): string => `${text.slice(0, endWithin(text, length - 1)).trimEnd()}…`;

/** No half of a pair of surrogates. */
const endWithin = (text: string, end: number): number => (/[\ud800-\udbff]/.test(text[end - 1] ?? '') && end < text.length ? end - 1 : end);

function pieces(text: string, first: number, next: number): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.trim() !== '') {
    const most = found.length === 0 ? first : next;
    // Between lines, where there is an end of a line in the second half.
    const line = rest.length > most ? rest.lastIndexOf('\n', most) : -1;
    const end = rest.length <= most ? rest.length : line > most / 2 ? line : endWithin(rest, most);
    const piece = rest.slice(0, end);
    if (piece.trim() !== '') found.push(piece);
    rest = rest.slice(end);
  }
  return found;
}
