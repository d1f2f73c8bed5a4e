import type { Shortcut } from '#core/cli-definition.ts';
import { globalFlags } from '#core/command-line.ts';
import type { Registry, RegistryEntry } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { isDestructive, type ResolvedName, resolveName, soundsLikeRead, taskNouns } from '#core/operation-names.ts';
import type { Synonym } from '#core/synonym.ts';
import { type App, isValidShape } from '#dispatch/dispatch.ts';
import { suggestFlag, suggestNames } from '#dispatch/suggest.ts';
import { removeDuplicates } from '#lib/collections.ts';
import { measureDistance } from '#lib/terms.ts';
import { listAllCommands } from './all-commands.ts';
import { type CommandNames, findCommand, findLeadingWords, isCall } from './arguments.ts';
import { findMisspelling } from './misspelling.ts';

type Commands = (CommandNames & Partial<Pick<RegistryEntry, 'kind'>>)[];

/** The operation that words mean which are not a command, and the remaining words. */
export interface ResolvedCommand {
  operation: string;
  shortcut?: Shortcut;
  rest: string[];
}

/** Finds the operation that the words mean. Without one, creates the error with the nearest commands. */
export async function readUnknownCommand(app: Pick<App, 'registry'>, argv: string[]): Promise<ResolvedCommand | { error: CleoError }> {
  const { synonyms } = await import('#core/synonyms.generated.ts');
  const resolved = resolveCommand(app.registry, argv, synonyms);
  if (resolved) return resolved;
  const { error, guess } = explainUnknownCommand(await listAllCommands(app), argv, synonyms);
  return { error: guess && !(await isValidCall(app, guess, synonyms)) ? withoutFix(error) : error };
}

/** Checks whether the words name a command and fit its parameters. */
async function isValidCall(app: Pick<App, 'registry'>, argv: string[], synonyms: Synonym[]): Promise<boolean> {
  const found = findCommand(await listAllCommands(app), argv, findMisspelling);
  if ('unknown' in found) return isResolvedCall(app, resolveCommand(app.registry, argv, synonyms));
  if (!('entry' in found)) return 'group' in found;
  return isCall('process' in found.entry ? found.entry.process : await found.entry.load(), found.rest);
}

/** Checks whether the words after a synonym fit the parameters of its operation. */
async function isResolvedCall({ registry }: Pick<App, 'registry'>, resolved: ResolvedCommand | undefined): Promise<boolean> {
  const operation = await registry.find(resolved?.operation ?? '')?.load();
  if (!resolved || !operation) return false;
  const { params, sources, error } = (await import('./lenient-arguments.ts')).parseLeniently(operation, resolved.rest, resolved.shortcut);
  return !error && (sources.length > 0 || isValidShape(operation, params));
}

const withoutFix = ({ details }: CleoError): CleoError =>
  new CleoError('E_INVALID_OPERATION', { operation: String(details.operation), suggestions: details.suggestions as string[] });

/** Finds the operation that the first words mean: a synonym, or the name that MCP or another tool uses. */
export function resolveCommand(registry: Pick<Registry, 'entries'>, argv: string[], synonyms: Synonym[]): ResolvedCommand | undefined {
  const at = findLeadingWords(argv);
  const commands = new Set(registry.entries.flatMap((entry) => entry.commands));
  for (let length = at.length; length > 0; length--) {
    const used = at.slice(0, length);
    // The rest of a command is its arguments or a typo of a subcommand.
    if (commands.has(used.map((i) => argv[i]!).join(' '))) return undefined;
    const resolved = resolveName(used.map((i) => argv[i]!).join(' '), registry, synonyms);
    // In `search task` the noun is what to search for; in `get task T1` it says nothing.
    const isLastWord = length > 1 && length === at.length && at[length - 1] === argv.findLastIndex((word) => !word.startsWith('-'));
    if (resolved && isLastWord && taskNouns.has(argv[used.at(-1)!]!) && isQuery(registry, resolved)) continue;
    if (resolved) return { ...resolved, rest: argv.filter((_, i) => !used.includes(i)) };
  }
  // `cleo tasks` lists them.
  return at.length === 1 && taskNouns.has(argv[at[0]!]!)
    ? { operation: 'tasks.list', rest: argv.filter((_, i) => i !== at[0]) }
    : undefined;
}

const isQuery = ({ entries }: Pick<Registry, 'entries'>, { operation }: ResolvedName): boolean =>
  entries.find(({ name }) => name === operation)?.kind === 'query';

/** `guess` holds the words of the suggested command line. The fix is only shown if they parse. */
interface UnknownCommand {
  error: CleoError;
  guess?: string[];
}

/** Explains why words are not a command, with the nearest commands. A word that sounds like a read suggests no write, and nothing
 *  suggests to delete something. */
export function explainUnknownCommand(entries: Commands, argv: string[], synonyms: Synonym[]): UnknownCommand {
  const at = findLeadingWords(argv);
  const words = at.map((i) => argv[i]!);
  if (words.length === 0)
    return {
      error: createFlagError(
        argv,
        entries.flatMap((entry) => entry.commands),
      ),
    };
  for (let length = words.length; length > 1; length--) {
    const meant = findMisspelling(entries, words.slice(0, length));
    if (meant) return createCommandError(words.slice(0, length).join(' '), [meant], replaceWords(argv, at.slice(0, length), meant));
  }
  const allowed = listAllowedCommands(entries, words, synonyms);
  const below = allowed.filter((command) => command.startsWith(`${words[0]} `));
  return (
    explainTaskId(entries, argv, at) ??
    explainTypo(argv, at, below.length > 0 ? below : allowed, below.length > 0 ? [2] : [2, 1]) ??
    explainTypo(argv, at, below.length > 0 ? [] : listSynonyms(synonyms), [2, 1]) ??
    (below.length > 0
      ? createCommandError(words.slice(0, 2).join(' '), removeDuplicates(below).slice(0, 7), ['help', words[0]!])
      : createCommandError(words[0]!, []))
  );
}

/** Lists the commands that may be suggested. */
function listAllowedCommands(entries: Commands, words: string[], synonyms: Synonym[]): string[] {
  const named = entries.map((entry) => ({ ...entry, kind: entry.kind ?? ('query' as const) }));
  const isRead = words.slice(0, 2).some((word) => soundsLikeRead(word, named, synonyms));
  return named.flatMap(({ kind, commands }) => (isRead && kind !== 'query' ? [] : commands.filter((command) => !isDestructive(command))));
}

const listSynonyms = (synonyms: Synonym[]): string[] =>
  synonyms.flatMap(({ command, operation }) => (isDestructive(operation) ? [] : [command]));

/** Explains an id in place of a command: `T1` is shown, and `T1 done` is `done T1`. */
function explainTaskId(entries: Commands, argv: string[], at: number[]): UnknownCommand | undefined {
  const [first = '', second = ''] = at.map((i) => argv[i]!);
  const id = taskNouns.has(first) ? second : first;
  if (!/^(?:[a-z]+-)?[Tt]?\d+$/i.test(id)) return undefined;
  const other = taskNouns.has(first) ? undefined : entries.find(({ commands }) => commands.includes(second));
  const used = taskNouns.has(first) || other ? at.slice(0, 2) : at.slice(0, 1);
  const rest = argv.filter((_, i) => !used.includes(i));
  return createCommandError(first, [other ? second : 'show'], [other ? second : 'show', id, ...rest]);
}

/** Finds commands with as many words that are spelled alike. A shorter command would lose an argument. */
function explainTypo(argv: string[], at: number[], commands: string[], lengths: number[]): UnknownCommand | undefined {
  for (const length of lengths) {
    if (at.length < length) continue;
    const typed = at
      .slice(0, length)
      .map((i) => argv[i]!)
      .join(' ');
    // Two letters resemble too many commands: `ad` is `add`, but `my` is not `mv`.
    const mayMean = (command: string): boolean => typed.length > 2 || command.startsWith(typed);
    const candidates = commands.filter((command) => command.split(' ').length === length && mayMean(command));
    const { suggestions } = suggestNames(typed, [
      ...new Set([...candidates, ...(length === 1 ? listGroups(commands).filter(mayMean) : [])]),
    ]);
    const [first = '', second] = suggestions;
    const isClear = second === undefined || measureDistance(typed, first, 3) < measureDistance(typed, second, 3);
    const guess = isClear && commands.includes(first) ? replaceWords(argv, at.slice(0, length), first) : undefined;
    if (suggestions.length > 0) return createCommandError(typed, suggestions, guess);
  }
  return undefined;
}

const listGroups = (commands: string[]): string[] => [...new Set(commands.filter((c) => c.includes(' ')).map((c) => c.split(' ')[0]!))];

function createCommandError(operation: string, suggestions: string[], guess?: string[]): UnknownCommand {
  const fix = guess && commandLine(['cleo', ...guess]);
  const error = new CleoError('E_INVALID_OPERATION', {
    operation: operation.slice(0, 100),
    suggestions,
    ...(fix && fix.length <= 500 ? { fix } : {}),
  });
  return { error, ...(guess ? { guess } : {}) };
}

/** Replaces the words at these positions by others. */
function replaceWords(argv: string[], at: number[], words: string): string[] {
  return argv.flatMap((word, i) => (i === at[0] ? words.split(' ') : at.includes(i) ? [] : [word]));
}

/** Creates the error for a flag before the command: a typo of a global flag, or a flag of the command. */
function createFlagError(argv: string[], known: string[]): CleoError {
  const flag = argv.find((word) => word.startsWith('-') && !globalFlags.some(({ flags }) => flags.includes(word.split('=', 1)[0]!)))!;
  const name = flag.split('=', 1)[0]!;
  // A typo rarely changes the first letter: `--parent` is two letters from `--agent` but means something else.
  const { suggestions, question } = suggestFlag(
    name,
    globalFlags.flatMap(({ flags }) => flags.filter((flag) => flag[2] === name[2])),
  );
  const command = argv.findIndex((word) => known.includes(word));
  const fix =
    suggestions.length === 1
      ? commandLine(['cleo', ...replaceWords(argv, [argv.indexOf(flag)], flag.replace(name, suggestions[0]!))])
      : command >= 0
        ? commandLine(['cleo', argv[command]!, ...argv.filter((_, i) => i !== command)])
        : 'cleo help';
  return new CleoError('E_INVALID_INPUT', {
    problem: `${JSON.stringify(name.slice(0, 60))} is before the command${question || '; options go after the command'}`,
    fix: fix.length <= 500 ? fix : 'cleo help',
    ...(suggestions.length ? { suggestions } : {}),
  });
}
