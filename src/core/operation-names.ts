import { findNearest } from '#lib/nearest.ts';
import { measureDistance } from '#lib/terms.ts';
import type { Shortcut } from './cli-definition.ts';
import type { Registry, RegistryEntry } from './define.ts';
import type { Synonym } from './synonym.ts';

/** The operation that a name means. A shortcut sets some of its parameters. */
export interface ResolvedName {
  operation: string;
  shortcut?: Shortcut;
}

type Kind = 'query' | 'mutate' | undefined;
type NamedEntry = Pick<RegistryEntry, 'name' | 'aliases' | 'commands' | 'kind' | 'select'>;
type Names = Pick<Registry, 'entries'> | { entries: NamedEntry[] };

/** Names of a task in other tools. They say nothing about the operation: `create_issue` creates a task. */
export const taskNouns = new Set(['task', 'tasks', 'issue', 'issues', 'todo', 'todos', 'ticket', 'tickets', 'item', 'items']);
const isNoun = (word: string): boolean => taskNouns.has(word) || word === 'cleo' || word === 'my';
const otherDomainNames: Record<string, string> = {
  doc: 'docs',
  document: 'docs',
  orchestration: 'orchestrate',
  orchestrator: 'orchestrate',
};
/** Words that ask for something, in addition to the names of queries. */
const readWords = ['info', 'describe', 'display', 'print', 'count', 'details', 'summary', 'report', 'stats', 'log', 'overview', 'inspect'];
/** An operation that removes something is never suggested. */
const destructiveWords = new Set(['delete', 'remove', 'prune', 'revoke', 'gc', 'reset', 'restore', 'unregister', 'unlink', 'reject']);

/** Finds the operation that a name means exactly: the words of its command (`focus.set`), a synonym (`tasks.create`), the name that
 *  tools of one function per operation use (`create_issue`, `listSessions`), or another form of the domain (`task/add`). */
export function resolveName(text: string, { entries }: Names, synonyms: Synonym[], kind?: Kind): ResolvedName | undefined {
  for (const words of listReadings(text, entries)) {
    const resolved = matchWords(words, entries, synonyms, kind);
    if (resolved) return resolved;
  }
  return undefined;
}

function matchWords(words: string[], entries: NamedEntry[], synonyms: Synonym[], kind: Kind): ResolvedName | undefined {
  const name = words.join('.');
  const command = words.join(' ');
  const findByCommand = (typed: string): NamedEntry | undefined => {
    const matches = entries.filter(({ commands }) => commands.includes(typed));
    return matches.find(({ select }) => !select) ?? matches[0];
  };
  // `focus` shows the focus, but a write through the mutate gateway sets it.
  const entry =
    entries.find((each) => each.name === name || each.aliases.includes(name)) ??
    (kind === 'mutate' ? findByCommand(`${command} set`) : undefined) ??
    findByCommand(command);
  if (entry) return { operation: entry.name };
  const synonym = synonyms.find((each) => each.name === name || each.command === command);
  return synonym && { operation: synonym.operation, ...(synonym.shortcut ? { shortcut: synonym.shortcut } : {}) };
}

/** Lists the ways to read a name as words, the most literal one first. */
function listReadings(text: string, entries: NamedEntry[]): string[][] {
  const coarse = splitName(text);
  const fine = coarse.flatMap((word) => word.split('-'));
  const readings = [coarse, fine].flatMap((words) => {
    const [first = '', ...rest] = words;
    const bare = words.filter((word) => !isNoun(word));
    const domain = findDomain(first, entries);
    const lastDomain = findDomain(words.at(-1) ?? '', entries);
    return [
      words,
      ...(domain && rest.length > 0 ? [[domain, ...rest]] : []),
      bare,
      [bare.join('-')],
      ...(lastDomain && words.length === 2 ? [[lastDomain, first]] : []),
      // `waves` and `spawn` are about the plan, and no other domain has them.
      ...(bare.length === 1 ? [['orchestrate', ...bare]] : []),
    ];
  });
  return readings.filter((words) => words.length > 0 && words[0] !== '');
}

/** Splits a name into lower-case words: `tasks.addBatch`, `tasks/add_batch` and `tasks add-batch` are the same. */
const splitName = (text: string): string[] =>
  text
    .slice(0, 100)
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll('_', '-')
    .split(/[.\s/:]+/)
    .filter((word) => word !== '');

function findDomain(word: string, entries: NamedEntry[]): string | undefined {
  const domains = new Set(entries.map(({ name }) => name.slice(0, name.indexOf('.'))));
  const forms = [word, `${word}s`, word.replace(/s$/, ''), word.replace(/ies$/, 'y'), otherDomainNames[word] ?? ''];
  return forms.find((form) => domains.has(form));
}

/** Suggests operations for an unknown name, best first: by meaning (synonyms), else by prefix, else by spelling. A name that sounds
 *  like a read, or that was asked of the query gateway, never suggests a write; nothing suggests to delete something. */
export function suggestOperations(text: string, { entries }: Names, synonyms: Synonym[], kind?: Kind, max = 3): string[] {
  const words = splitName(text).flatMap((word) => word.split('-'));
  const domain = words.map((word) => findDomain(word, entries)).find((found) => found !== undefined);
  const verbs = words.filter((word) => !isNoun(word) && findDomain(word, entries) === undefined);
  const isRead = kind === 'query' || verbs.some((word) => soundsLikeRead(word, entries, synonyms));
  const allowed = entries.filter((entry) => !isDestructive(entry.name) && (!isRead || entry.kind === 'query'));
  const near = allowed.filter(({ name }) => name.startsWith(`${domain ?? 'tasks'}.`));
  const byMeaning = near.filter(({ name }) => verbs.some((word) => listMeanings(word, synonyms).includes(getVerb(name))));
  const byPrefix = near.filter(({ name }) => verbs.some((word) => isPrefix(word, getVerb(name))));
  // With a known domain only the verb is compared: three edits in `tasks.ad` would reach half of the operations.
  const bySpelling = domain
    ? verbs
        .flatMap((word) =>
          findNearest(
            word,
            near.map(({ name }) => getVerb(name)),
          ),
        )
        .flatMap((verb) => near.filter(({ name }) => getVerb(name) === verb).map(getName))
    : findNearest(
        text.toLowerCase(),
        allowed.flatMap(({ name, aliases }) => [name, getVerb(name), ...aliases]),
      ).flatMap((found) =>
        allowed
          .filter(
            ({ name, aliases }) => name === found || aliases.includes(found) || (name.startsWith('tasks.') && getVerb(name) === found),
          )
          .map(getName),
      );
  const ranked = [byMeaning.map(getName), byPrefix.map(getName), bySpelling];
  return [...new Set(ranked.find((names) => names.length > 0))].slice(0, max);
}

const getName = ({ name }: NamedEntry): string => name;
/** Returns the operation without its domain: `relates.add`. */
const getVerb = (name: string): string => name.slice(name.indexOf('.') + 1);
const isPrefix = (word: string, verb: string): boolean =>
  (word.length >= 3 && verb.startsWith(word)) || (verb.length >= 4 && word.startsWith(verb));

/** Checks whether an operation, by its name or its command, removes something. */
export const isDestructive = (name: string): boolean => destructiveWords.has(/[a-z-]+$/.exec(name)?.[0] ?? '');

/** Returns a verb and the verbs that it is a synonym of: `create` means `add`. */
function listMeanings(word: string, synonyms: Synonym[]): string[] {
  return [word, ...synonyms.filter(({ name }) => getVerb(name) === word).map(({ operation }) => getVerb(operation))];
}

/** Checks whether a word is the verb of a query, or spelled like one rather than like the verb of a write. */
export function soundsLikeRead(word: string, entries: NamedEntry[], synonyms: Synonym[]): boolean {
  const kinds = new Map(entries.map(({ name, kind }) => [name, kind]));
  const verbs: [string, boolean][] = [
    ...readWords.map((each): [string, boolean] => [each, true]),
    ...entries.map(({ name, kind }): [string, boolean] => [getVerb(name), kind === 'query']),
    ...synonyms.map(({ name, operation }): [string, boolean] => [getVerb(name), kinds.get(operation) === 'query']),
  ];
  const measureNearest = (wanted: boolean): number =>
    Math.min(...verbs.flatMap(([verb, isRead]) => (isRead === wanted ? [measureDistance(word, verb, maxEdits)] : [])));
  const distance = measureNearest(true);
  return distance <= Math.min(maxEdits, word.length / 3) && distance <= measureNearest(false);
}

const maxEdits = 2;
