import { query } from '../api/client.ts';
import { toTaskUrl } from '../components/task-id.tsx';
import { getRecordUrl, type RecordKind, routes } from '../routes.ts';
import { type IndexTask, taskIndex } from '../state/task-index.ts';
import { undoLastChange } from '../state/undo.ts';

/** A result of the search: a page of its own, or a command to copy. */
export interface SearchHit {
  kind: 'page' | 'action' | 'task' | RecordKind | 'command';
  id: string;
  title: string;
  url?: string | undefined;
  command?: string | undefined;
  /** Something that the page does at once. */
  run?: () => void;
  task?: IndexTask;
}

const maxTasks = 12;
const maxOthers = 5;

const splitWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Finds pages and tasks that are on this page already, so that every key stroke is answered at once. */
export function searchLocally(text: string): SearchHit[] {
  const words = splitWords(text);
  const pages = routes
    .filter(({ nav, title }) => nav && words.every((word) => title.toLowerCase().includes(word)))
    .map(({ name, path, title }): SearchHit => ({ kind: 'page', id: name, title, url: path }));
  const found = words.length === 0 ? [] : actions.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  return [...pages, ...found, ...searchTasks(words).map(toTaskResult)];
}

const actions: SearchHit[] = [{ kind: 'action', id: 'z', title: 'Undo: take back your last change', run: () => void undoLastChange() }];

const toTaskResult = (task: IndexTask): SearchHit => ({ kind: 'task', id: task.id, title: task.title, url: toTaskUrl(task.id), task });

/** Finds tasks whose id or title contains all words: those with the exact id first, then open ones. */
function searchTasks(words: string[]): IndexTask[] {
  if (words.length === 0) return [];
  const found: { task: IndexTask; rank: number }[] = [];
  for (const task of taskIndex.get().tasks.values()) {
    const [id, title] = [task.id.toLowerCase(), task.title.toLowerCase()];
    if (!words.every((word) => id.includes(word) || title.includes(word))) continue;
    const first = words[0]!;
    const isId = id === first || id.replace(/^t0*/, '') === first.replace(/^t?0*/, '');
    found.push({ task, rank: (isId ? 0 : title.startsWith(first) ? 1 : 2) + (task.status === 'done' ? 4 : 0) });
  }
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, maxTasks)
    .map(({ task }) => task);
}

/** Asks the server: it also finds typos, descriptions and notes, and everything that is not a task. */
export async function searchServer(text: string, signal: AbortSignal): Promise<SearchHit[]> {
  const words = splitWords(text);
  const matches = (...texts: (string | undefined)[]): boolean => words.every((word) => texts.join(' ').toLowerCase().includes(word));
  const [tasks, memories, docs, sessions, help] = await Promise.all([
    query('tasks.find', { query: text, limit: maxTasks }, signal).then(({ tasks }) => tasks, ignore),
    query('memory.find', { term: text, limit: maxOthers }, signal).then(({ memories }) => memories, ignore),
    query('docs.list', { term: text, limit: maxOthers }, signal).then(({ docs }) => docs, ignore),
    query('session.list', { term: text, limit: maxOthers }, signal).then(({ sessions }) => sessions, ignore),
    listCommands(),
  ]);
  return [
    ...tasks.map(({ id, title }): SearchHit => {
      const task = taskIndex.get().tasks.get(id);
      return { kind: 'task', id, title, url: toTaskUrl(id), ...(task ? { task } : {}) };
    }),
    ...memories.map(({ id, title }) => toRecordResult('memory', id, title, `cleo memory fetch ${id}`)),
    ...docs.map(({ slug, title }) => toRecordResult('document', slug, title, `cleo docs fetch ${slug}`)),
    ...sessions.map(({ id, name, agent }) => toRecordResult('session', id, name ?? agent, `cleo session show ${id}`)),
    ...help
      .filter(({ name, summary }) => matches(name, summary))
      .slice(0, maxOthers)
      .map(({ name, summary }): SearchHit => ({ kind: 'command', id: name, title: summary, command: `cleo help ${name}` })),
  ];
}

const ignore = (): never[] => [];

const toRecordResult = (kind: RecordKind, id: string, title: string, command: string): SearchHit => ({
  kind,
  id,
  title,
  url: getRecordUrl(kind, id),
  command,
});

let commands: Promise<{ name: string; summary: string }[]> | undefined;

/** Reads the operations once: they do not change while the server runs. */
function listCommands(): Promise<{ name: string; summary: string }[]> {
  commands ??= query('admin.help', { all: true }).then(
    ({ help }) => ['query' in help ? help.query : {}, 'mutate' in help ? help.mutate : {}].flatMap(toCommands),
    () => {
      commands = undefined;
      return [];
    },
  );
  return commands;
}

const toCommands = (summaries: Record<string, string> | string[] | undefined): { name: string; summary: string }[] =>
  Array.isArray(summaries) ? [] : Object.entries(summaries ?? {}).map(([name, summary]) => ({ name, summary }));

/** Adds what the server found to what was found here; a task is listed once. */
export function mergeResults(local: SearchHit[], server: SearchHit[]): SearchHit[] {
  const seen = new Set(local.map(({ kind, id }) => `${kind} ${id}`));
  const tasks = server.filter(({ kind, id }) => kind === 'task' && !seen.has(`${kind} ${id}`));
  return [...local, ...tasks, ...server.filter(({ kind }) => kind !== 'task')];
}
