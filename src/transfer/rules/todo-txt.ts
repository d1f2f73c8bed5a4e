import { defined } from '#lib/collections.ts';
import { type ForeignData, type ForeignStream, type ForeignTask, type ImportLoss, readWhole, type SourceFile } from '../model/foreign.ts';
import { parseUid } from './export/context.ts';
import {
  addUnmappedFields,
  collectSourceTasks,
  createImportError,
  createLossReporter,
  createStream,
  normalizeLabels,
  normalizeText,
  parseDate,
  pickTimes,
  readEach,
  toTexts,
  unmappedField,
} from './source-values.ts';
import { decodeValue, hashTodoLine, parseTodoKey, unescapeTodoWord } from './todo-words.ts';
import { parseForeignState, parseForeignType, parsePriority } from './vocabulary.ts';

export const readTodoTxt = (files: SourceFile[]): ForeignData => collectSourceTasks(streamTodoTxt(files));

/** Reads lines of todo.txt. A line is identified by its `id:` or `uuid:`, else by its text and creation date, so that its status,
 *  priority, project and other dates can change. Projects and contexts become labels, because a line can have several. */
export function streamTodoTxt(files: SourceFile[]): ForeignStream {
  return createStream('todo.txt', function* ({ losses }) {
    const seen = new Map<string, number>();
    const lines = readEach(files, losses, function* (file) {
      const text = normalizeText(readWhole(file));
      checkPlainText(file.name, text);
      const isArchived = /(?:^|\/)done\.txt$/i.test(file.name);
      for (const line of text.split('\n')) yield { line, isArchived };
    });
    for (const { line, isArchived } of lines) {
      const parsed = parseTodoLine(line);
      if (!parsed) continue;
      const count = (seen.get(parsed.id) ?? 0) + 1;
      seen.set(parsed.id, count);
      // Lines with the same text are different tasks; lines with the same id are resolved as duplicates.
      const id = count > 1 && !parsed.isNamed ? `${parsed.id}-${count}` : parsed.id;
      yield toForeignTask({ ...parsed, id }, isArchived, losses);
    }
  });
}

/** Rejects other file formats. Any line of text is a valid task, so the parser would accept them. A few control characters in a text
 *  are removed with a report. */
function checkPlainText(name: string, text: string): void {
  const head = text.slice(0, 10_000);
  const controls = head.match(/[\0-\x08\x0e-\x1f\ufffd]/g)?.length ?? 0;
  if (controls > head.length / 20) throw createImportError(name, 'it is not plain text');
  const begin = text.trimStart();
  if (/^(<\?xml|<!doctype|<html|---\n|%PDF|\[\s*[{\]]|\{\s*["}])/i.test(begin))
    throw createImportError(name, 'it is not a todo.txt file', { line: 1 });
}

type TodoLine = NonNullable<ReturnType<typeof parseTodoLine>>;

/** Keys recognized anywhere in a line. Others count only at its start or end: `see foo:bar there` is a sentence. */
const inlineKeys = new Set(['id', 'uuid', 'p', 'parent', 'dep', 'after', 'pri', 'due', 't', 'rec', 'h']);

function parseTodoLine(line: string) {
  const [, x, text] = /^(x )?(.*)$/.exec(line.trim()) ?? [];
  if (!text) return undefined;
  // The priority comes first; in a done line, some tools write it after the dates.
  const [, before, dates, after, rest] = /^(?:\(([A-Z])\) )?((?:\d{4}-\d\d-\d\d ){0,2})(?:\(([A-Z])\) )?(.*)$/.exec(text) ?? [];
  const [first, second] = dates!.split(' ').filter(Boolean);
  const begin = before ?? (x ? after : undefined);
  const [completed, created] = x ? [first, second] : [undefined, first];
  const body = [x ? undefined : second, x || !after ? undefined : `(${after})`, rest].filter(Boolean).join(' ');
  const words = body.split(/\s+/).filter(Boolean);
  const tags = { projects: [] as string[], contexts: [] as string[], keys: [] as [string, string][] };
  const isTag = (word: string): boolean => /^[+@]\S/.test(word) || parseTodoKey(word) !== undefined;
  let from = 0;
  let to = words.length;
  while (to > from && isTag(words[to - 1]!)) to -= 1;
  while (from < to && isTag(words[from]!)) from += 1;
  const sentence = words.filter((word, i) => {
    const key = parseTodoKey(word);
    const isInside = i >= from && i < to;
    if (word.startsWith('+') && word.length > 1) tags.projects.push(word.slice(1));
    else if (word.startsWith('@') && word.length > 1) tags.contexts.push(word.slice(1));
    else if (key && (!isInside || inlineKeys.has(key[0]))) tags.keys.push(key);
    else return true;
    return isInside && !(key && inlineKeys.has(key[0]));
  });
  const title = (sentence.length > 0 ? sentence : words).map(unescapeTodoWord).join(' ');
  const findValue = (...names: string[]): string => tags.keys.find(([key]) => names.includes(key))?.[1] ?? '';
  const givenId = findValue('id', 'uuid');
  return {
    id: givenId ? `id:${givenId}` : hashTodoLine(created ?? '', title),
    isNamed: givenId !== '',
    isDone: x !== undefined,
    letter: begin ?? findValue('pri').toUpperCase(),
    created: created ?? '',
    completed: completed ?? '',
    title,
    ...tags,
  };
}

const mappedKeys = new Set(['id', 'uuid', 'p', 'parent', 'dep', 'after', 'pri', 'label']);
/** Keys of people: `assignee:ada` is not part of the format, but common. */
const assigneeKeys = ['assignee', 'owner'];

function toForeignTask(line: TodoLine, isArchived: boolean, losses: ImportLoss[]): ForeignTask {
  const { id, letter, keys, isDone } = line;
  const reportLoss = createLossReporter(losses, id);
  const listValues = (...names: string[]): string[] => keys.filter(([key]) => names.includes(key)).flatMap(([, value]) => toTexts(value));
  const [assignee] = listValues(...assigneeKeys).map(decodeValue);
  const due = parseDate(listValues('due')[0]);
  const own = readOwnKeys(line);
  const isMapped = ([key]: [string, string]): boolean =>
    mappedKeys.has(key) || assigneeKeys.includes(key) || (key === 'due' && due !== undefined) || own.keys.has(key);
  const unmapped = keys.filter((key) => !isMapped(key));
  for (const [key] of unmapped) reportLoss(key, unmappedField);
  if (letter > 'D') reportLoss('priority', `${letter} is imported as low, like D`);
  const parents = listValues('p', 'parent');
  if (parents.length > 1) reportLoss('p', `a task has one parent; ${parents.slice(1).join(', ')} left out`);
  return {
    id,
    title: line.title,
    ...addUnmappedFields('', 'todo.txt', unmapped),
    status: isDone ? 'done' : (own.status ?? 'pending'),
    ...defined({ uid: parseUid(id.slice('id:'.length)), type: own.type, resolution: own.resolution }),
    ...(/^[A-Z]$/.test(letter) ? { priority: (letter <= 'D' && parsePriority(letter)) || 'low' } : {}),
    ...defined({ assignee, due }),
    ...(parents[0] ? { parent: `id:${parents[0]}` } : {}),
    depends: listValues('dep', 'after').map((on) => `id:${on}`),
    labels: normalizeLabels(
      [
        ...line.projects.map((name) => `project:${name}`),
        ...line.contexts.map((name) => `context:${name}`),
        ...listValues('label').map(decodeValue),
      ],
      reportLoss,
    ),
    acceptance: [],
    notes: [],
    ...pickTimes({ createdAt: line.created, completedAt: isDone ? line.completed : undefined }, reportLoss),
    ...(isArchived && isDone ? { isArchived } : {}),
  };
}

/** Reads the keys that our export writes for states and types. The format has none for them; another value stays a plain key. */
function readOwnKeys({ keys, isDone }: TodoLine) {
  const find = (name: string): string => keys.find(([key]) => key === name)?.[1] ?? '';
  const state = parseForeignState(find('status'));
  const end = parseForeignState(find('resolution'));
  const { type } = parseForeignType(find('type'));
  const isState = find('status') !== '' && !state.isGuess && state.status !== 'done' && !isDone;
  const isEnd = isDone && end.resolution !== undefined && !end.isGuess;
  const known = [isState && 'status', isEnd && 'resolution', type && 'type'];
  return {
    keys: new Set(known.filter((key) => typeof key === 'string')),
    ...defined({ status: isState ? state.status : undefined, resolution: isEnd ? end.resolution : undefined, type }),
  };
}
