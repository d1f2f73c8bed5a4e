import type { Priority } from '#core/model/scalars.ts';
import { sha256 } from '#lib/sha256.ts';
import type { ForeignFile, ForeignTask, GivenFile, Loss } from '../model/foreign.ts';
import { foreignFile, keptLabels, type Lose, plainText, refused, texts, when, withRest } from './given.ts';

export const wanted = (name: string): boolean => /(?:^|\/)(todo|done)\.txt$/i.test(name);

/** Lines of todo.txt. A line is known again by its `id:` or `uuid:`, else by its words and the day it was written down: a done mark, a
 *  priority, a project or a date of it may change. Projects and contexts are labels, since a line may have several. */
export function readTodoTxt(files: GivenFile[]): ForeignFile {
  const losses: Loss[] = [];
  const where = new Map<ForeignTask, string>();
  const seen = new Map<string, number>();
  for (const file of files) {
    checkText(file);
    for (const line of plainText(file.text).split('\n')) {
      const read = lineOf(line);
      if (!read) continue;
      const again = (seen.get(read.id) ?? 0) + 1;
      seen.set(read.id, again);
      // Two lines of the same words are two tasks; two of the same id are a mistake, and are refused in the end.
      const id = again > 1 && !read.isNamed ? `${read.id}-${again}` : read.id;
      where.set(taskOf({ ...read, id }, /(?:^|\/)done\.txt$/i.test(file.name), losses), file.name);
    }
  }
  return foreignFile('todo.txt', [...where.keys()], losses, where);
}

/** Any line is a task, so that a file of another kind has to be told by other signs. */
function checkText({ name, text }: GivenFile): void {
  const control = /[\0-\x08\x0e-\x1f\ufffd]/.exec(text);
  if (control) throw refused(name, 'it is no plain text', { line: text.slice(0, control.index).split('\n').length });
  const begin = plainText(text).trimStart();
  if (/^(<\?xml|<!doctype|<html|---\n|%PDF|\[\s*[{\]]|\{\s*["}])/i.test(begin))
    throw refused(name, 'it is not a list of lines as todo.txt has them', { line: 1 });
}

interface Line {
  id: string;
  isNamed: boolean;
  isDone: boolean;
  letter: string;
  created: string;
  completed: string;
  title: string;
  projects: string[];
  contexts: string[];
  keys: [string, string][];
}

/** Ours or those of widespread tools; they may stand anywhere in a line. Others count at its end only: `see foo:bar there` is a sentence. */
const keyed = new Set(['id', 'uuid', 'p', 'parent', 'dep', 'after', 'pri', 'due', 't', 'rec', 'h']);

function lineOf(line: string): Line | undefined {
  const [, x, text] = /^(x )?(.*)$/.exec(line.trim()) ?? [];
  if (!text) return undefined;
  // The format has the priority first; some tools keep it behind the dates of a done line, some before them.
  const [, before, dates, behind, rest] = /^(?:\(([A-Z])\) )?((?:\d{4}-\d\d-\d\d ){0,2})(?:\(([A-Z])\) )?(.*)$/.exec(text) ?? [];
  const [first, second] = dates!.split(' ').filter(Boolean);
  const begin = before ?? (x ? behind : undefined);
  const [completed, created] = x ? [first, second] : [undefined, first];
  const body = [x ? undefined : second, x || !behind ? undefined : `(${behind})`, rest].filter(Boolean).join(' ');
  const words = body.split(/\s+/).filter(Boolean);
  const found = { projects: [] as string[], contexts: [] as string[], keys: [] as [string, string][] };
  const isTag = (word: string): boolean => /^[+@]\S/.test(word) || keyOf(word) !== undefined;
  let from = 0;
  let to = words.length;
  while (to > from && isTag(words[to - 1]!)) to -= 1;
  while (from < to && isTag(words[from]!)) from += 1;
  const sentence = words.filter((word, i) => {
    const key = keyOf(word);
    const isInside = i >= from && i < to;
    if (word.startsWith('+') && word.length > 1) found.projects.push(word.slice(1));
    else if (word.startsWith('@') && word.length > 1) found.contexts.push(word.slice(1));
    else if (key && (!isInside || keyed.has(key[0]))) found.keys.push(key);
    else return true;
    return isInside && !(key && keyed.has(key[0]));
  });
  const title = (sentence.length > 0 ? sentence : words).join(' ');
  const value = (...names: string[]): string => found.keys.find(([key]) => names.includes(key))?.[1] ?? '';
  const named = value('id', 'uuid');
  return {
    id: named ? `id:${named}` : sha256(`${created ?? ''} ${title.toLowerCase()}`).slice(0, 12),
    isNamed: named !== '',
    isDone: x !== undefined,
    letter: begin ?? value('pri').toUpperCase(),
    created: created ?? '',
    completed: completed ?? '',
    title,
    ...found,
  };
}

/** A name and a value with one colon between them; an address or a time of day is none. */
function keyOf(word: string): [string, string] | undefined {
  const [, key, value] = /^([A-Za-z][^\s:]*):([^\s:/][^\s:]*)$/.exec(word) ?? [];
  return key && value ? [key.toLowerCase(), value] : undefined;
}

const priorities: Record<string, Priority> = { A: 'critical', B: 'high', C: 'medium', D: 'low' };
const ours = new Set(['id', 'uuid', 'p', 'parent', 'dep', 'after', 'pri']);

function taskOf(line: Line, isArchived: boolean, losses: Loss[]): ForeignTask {
  const { id, letter, keys, isDone } = line;
  const lose: Lose = (field, why) => void losses.push({ id, field, why });
  const values = (...names: string[]): string[] => keys.filter(([key]) => names.includes(key)).flatMap(([, value]) => texts(value));
  const rest = keys.filter(([key]) => !ours.has(key));
  for (const [key] of rest) lose(key, 'there is no such field; it stands in the description');
  if (letter > 'D') lose('priority', `${letter} is as low as D`);
  const parents = values('p', 'parent');
  if (parents.length > 1) lose('p', `a task is part of one other; ${parents.slice(1).join(', ')} left out`);
  return {
    id,
    title: line.title,
    ...withRest('', 'todo.txt', rest),
    status: isDone ? 'done' : 'pending',
    ...(/^[A-Z]$/.test(letter) ? { priority: priorities[letter] ?? 'low' } : {}),
    ...(parents[0] ? { parent: `id:${parents[0]}` } : {}),
    depends: values('dep', 'after').map((one) => `id:${one}`),
    labels: keptLabels([...line.projects.map((name) => `project:${name}`), ...line.contexts.map((name) => `context:${name}`)], lose),
    acceptance: [],
    notes: [],
    ...when('createdAt', line.created, lose),
    ...(isDone ? when('completedAt', line.completed, lose) : {}),
    ...(isArchived && isDone ? { isArchived } : {}),
  };
}
