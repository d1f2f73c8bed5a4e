import { listCommandNames, toFlag } from '#core/command-line.ts';
import type { CommandDefinition } from '#core/define.ts';
import { describedGlobalFlags } from '#core/global-flag-meanings.ts';
import { helpTopics } from '#core/help-topics.ts';
import { toOneLine } from '#core/terminal/index.ts';
import { describeArguments, describeFlags } from '#core/usage.ts';
import { type App, dispatch } from '#dispatch/dispatch.ts';
import type { Terminal } from './run.ts';

interface Candidate {
  value: string;
  about?: string;
}

/** A parameter as far as completion needs it. */
interface Parameter {
  choices?: string[];
  /** The placeholder of its value in help, e.g. `T###`. */
  placeholder?: string;
  /** The separator of the items of a list. */
  separator?: string;
}

interface Flag {
  flags: string[];
  about: string;
  /** A switch takes no value. */
  parameter?: Parameter;
}

/** A command and the loader of its definition. */
interface Entry {
  commands: string[];
  select?: string;
  load(): Promise<CommandDefinition>;
}

/** The line that asks the shell to complete file names itself. */
const fileRequest = ':files';

/** Prints the candidates for the last of `words`, one on a line: the value, and its description behind a tab. Prints nothing on an
 *  error, because a shell would insert the message into the command line. */
export async function printCandidates(app: App, words: string[], terminal: Pick<Terminal, 'write'>): Promise<number> {
  try {
    const candidates = await listCandidates({ ...app, isObserver: true }, words);
    const lines = candidates.map(({ value, about }) => (about ? `${value}\t${toOneLine(about)}` : value));
    if (lines.length > 0) terminal.write(`${lines.join('\n')}\n`);
  } catch {
    // Completion is optional: without candidates the shell leaves the word as it is.
  }
  return 0;
}

async function listCandidates(app: App, words: string[]): Promise<Candidate[]> {
  const entries = await listEntries(app);
  const typed = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  let command = '';
  let argumentCount = 0;
  let pending: Flag | undefined;
  let isOver = false;
  for (const word of typed) {
    if (pending) pending = undefined;
    else if (!isOver && word === '--') isOver = true;
    else if (!isOver && word.startsWith('-')) {
      const flag = word.includes('=') ? undefined : await findFlag(entries, command, word);
      if (flag?.parameter) pending = flag;
    } else if (argumentCount === 0 && nextWords(entries, command).has(word)) command = joinWords(command, word);
    else argumentCount++;
  }
  if (pending) return listValues(app, entries, pending.parameter!, '', current);
  const [inline] = isOver ? [] : (/^--[^=]+=/.exec(current) ?? []);
  if (inline !== undefined) {
    const flag = await findFlag(entries, command, inline.slice(0, -1));
    return flag?.parameter ? listValues(app, entries, flag.parameter, inline, current) : [];
  }
  if (!isOver && current.startsWith('-')) {
    const flags = await listFlags(entries, command);
    return matchCandidates(
      flags.map(({ flags: [value = ''], about }) => ({ value, about })),
      current,
    );
  }
  const parameters = await listArguments(entries, command);
  const last = parameters.at(-1);
  const parameter = parameters[argumentCount] ?? (last?.separator === undefined ? undefined : last);
  return [
    ...(argumentCount === 0 ? await listCommands(entries, command, current) : []),
    ...(parameter ? await listValues(app, entries, parameter, '', current) : []),
  ];
}

const joinWords = (command: string, word: string): string => (command === '' ? word : `${command} ${word}`);

const matchCandidates = (candidates: Candidate[], beginning: string): Candidate[] =>
  candidates.filter(({ value }, i) => value.startsWith(beginning) && candidates.findIndex((other) => other.value === value) === i);

async function listEntries({ registry }: App): Promise<Entry[]> {
  const { processes } = await import('#admin/operations/shared/processes.ts');
  return [
    ...registry.entries,
    ...processes.map((process) => ({ commands: listCommandNames(process), ...process.cli, load: async () => process })),
  ];
}

/** Maps the words that can follow `command` to the entry that they complete, if they complete one. */
function nextWords(entries: Entry[], command: string): Map<string, Entry | undefined> {
  const beginning = command === '' ? '' : `${command} `;
  const words = new Map<string, Entry | undefined>();
  for (const entry of entries)
    for (const known of entry.commands) {
      if (!known.startsWith(beginning)) continue;
      const [word = '', ...rest] = known.slice(beginning.length).split(' ');
      const isPlain = rest.length === 0 && !entry.select;
      words.set(word, isPlain ? entry : (words.get(word) ?? (rest.length === 0 ? entry : undefined)));
    }
  return words;
}

/** Lists the words that can follow `command`. Summaries are loaded only for words that match. */
async function listCommands(entries: Entry[], command: string, beginning: string): Promise<Candidate[]> {
  const words = [...nextWords(entries, command)].filter(([word]) => word.startsWith(beginning)).sort(([a], [b]) => (a < b ? -1 : 1));
  return Promise.all(words.map(async ([value, entry]) => (entry ? { value, about: (await entry.load()).summary } : { value })));
}

const loadCommand = (entries: Entry[], command: string): Promise<CommandDefinition[]> =>
  Promise.all(entries.filter(({ commands }) => commands.includes(command)).map((entry) => entry.load()));

async function listFlags(entries: Entry[], command: string): Promise<Flag[]> {
  const definitions = await loadCommand(entries, command);
  return [
    ...definitions.flatMap(describeFlags).map(({ shape, flags, value, isFile }) => ({
      flags,
      about: shape.about,
      ...(value ? { parameter: toParameter(shape, isFile) } : {}),
    })),
    ...definitions.flatMap(({ cli: { select }, summary }) => (select ? [{ flags: [toFlag(select)], about: summary }] : [])),
    ...describedGlobalFlags.map(({ flags, about, value }) => ({ flags, about, ...(value ? { parameter: { placeholder: value } } : {}) })),
  ];
}

const findFlag = async (entries: Entry[], command: string, flag: string): Promise<Flag | undefined> =>
  (await listFlags(entries, command)).find(({ flags }) => flags.includes(flag));

async function listArguments(entries: Entry[], command: string): Promise<Parameter[]> {
  const definitions = await loadCommand(entries, command);
  const definition = definitions.find(({ cli }) => !cli.select) ?? definitions[0];
  return definition
    ? describeArguments(definition).map((shape) => toParameter(shape, definition.cli.read?.[shape.name] !== undefined))
    : [];
}

const toParameter = ({ choices, value, type, separator }: ReturnType<typeof describeArguments>[number], isFile: boolean): Parameter => ({
  ...(choices ? { choices } : {}),
  ...(isFile ? { placeholder: 'FILE' } : value ? { placeholder: value } : {}),
  ...(type === 'list' ? { separator } : {}),
});

/** The operations that list the ids behind a placeholder. */
const idSources: Record<string, [operation: string, params: Record<string, unknown>]> = {
  'T###': ['tasks.list', { limit: 1000 }],
  SESSION: ['session.list', {}],
  RUN: ['trace.list', {}],
  'RUN|GLOB': ['trace.list', {}],
  REVIEW: ['review.list', {}],
};

/** Lists the values of a parameter that continue `current`, which begins with `prefix` (`--flag=`). */
async function listValues(
  app: App,
  entries: Entry[],
  { choices, placeholder = '', separator }: Parameter,
  prefix: string,
  current: string,
): Promise<Candidate[]> {
  const value = current.slice(prefix.length);
  const listed = separator === undefined ? '' : value.slice(0, value.lastIndexOf(separator) + 1);
  const withPrefix = (candidates: Candidate[]): Candidate[] =>
    matchCandidates(
      candidates.map((candidate) => ({ ...candidate, value: `${prefix}${listed}${candidate.value}` })),
      current,
    );
  if (choices) return withPrefix(choices.map((choice) => ({ value: choice })));
  const source = idSources[placeholder];
  if (source) return withPrefix(await listIds(app, ...source));
  switch (placeholder) {
    case 'FILE':
    case 'FILE|-':
      return [{ value: fileRequest }];
    case 'COMMAND':
      return withPrefix([...(await listCommands(entries, '', value)), ...helpTopics.map((topic) => ({ value: topic }))]);
    case 'SCOPE': {
      const [, type] = /^(\w+):/.exec(value) ?? [];
      if (type === undefined) return withPrefix(['global', 'epic:', 'saga:', 'task:'].map((scope) => ({ value: scope })));
      const ids = await listIds(app, 'tasks.list', { type, limit: 1000 });
      return withPrefix(ids.map((id) => ({ ...id, value: `${type}:${id.value}` })));
    }
    default:
      return [];
  }
}

async function listIds(app: App, operation: string, params: Record<string, unknown>): Promise<Candidate[]> {
  const { envelope } = await dispatch(app, { operation, params, gateway: 'cli' });
  const records = envelope[envelope._meta.resultsField ?? ''];
  if (!Array.isArray(records)) return [];
  return records.map(({ id, title, name }: { id: string; title?: string; name?: string }) => ({ value: id, about: title ?? name ?? '' }));
}
