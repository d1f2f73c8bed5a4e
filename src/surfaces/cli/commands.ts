import { toFlag } from '#core/command-line.ts';
import type { RegistryEntry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { commandLine } from '#core/errors/quote.ts';
import { findGlobalFlag, globalFlags } from '#core/global-flags.ts';
import { suggestFlag, suggestNames } from '#dispatch/suggest.ts';

/** The names under which a command is found. */
export type CommandNames = Pick<RegistryEntry, 'name' | 'aliases' | 'commands' | 'select' | 'selectedBy' | 'isDefault'>;

/** The command that the words name and the remaining words, or a group of commands, or an error. */
export type CommandMatch<E extends CommandNames> =
  | { entry: E; rest: string[] }
  | { group: string }
  /** `guess` holds the words of the suggested command line. The fix is only shown if they parse. */
  | { error: CleoError; guess?: string[] }
  | { nothing: true };

const maxCommandWords = 3;

/** Returns the first word that is not a global flag or the value of one; empty without such a word. */
export const getFirstWord = (argv: string[]): string => argv[findLeadingWords(argv)[0] ?? -1] ?? '';

export function findCommand<E extends CommandNames>(entries: E[], argv: string[]): CommandMatch<E> {
  const at = findLeadingWords(argv);
  const words = at.map((i) => argv[i]!);
  for (let length = words.length; length > 0; length--) {
    const command = words.slice(0, length).join(' ');
    const matches = entries.filter((entry) => entry.commands.includes(command));
    if (matches.length === 0) continue;
    const rest = argv.filter((_, i) => !at.slice(0, length).includes(i));
    const meant = length < words.length ? findMisspelling(entries, argv, at.slice(0, length + 1)) : undefined;
    if (meant) return meant;
    return { entry: selectEntry(matches, rest) ?? getDefaultEntry(matches), rest };
  }
  const known = entries.flatMap((entry) => entry.commands);
  if (words.length > 0) {
    const below = known.filter((command) => command.startsWith(`${words[0]} `));
    if (below.length > 0 && words.length === 1 && argv.every((_, i) => i === at[0] || isGlobalFlag(argv, i))) return { group: words[0]! };
    return createUnknownCommand(entries, argv, at, below);
  }
  const [stray] = argv.filter((word) => word.startsWith('-') && !findGlobalFlag(word));
  return stray === undefined ? { nothing: true } : { error: createFlagError(stray, argv, known) };
}

/** Finds typos such as `focus sett T1`: the word after a command resembles one of its subcommands. */
function findMisspelling(entries: CommandNames[], argv: string[], at: number[]): CommandError | undefined {
  const words = at.map((i) => argv[i]!);
  const word = words.pop()!;
  if (!/^[a-z]{3,}$/.test(word)) return undefined;
  const beginning = `${words.join(' ')} `;
  const below = entries.flatMap(({ commands }) => commands.filter((command) => command.startsWith(beginning)));
  const { suggestions } = suggestNames(
    word,
    below.map((command) => command.slice(beginning.length)),
  );
  if (suggestions.length !== 1) return undefined;
  const meant = `${beginning}${suggestions[0]}`;
  return createCommandError(`${beginning}${word}`, [meant], replaceWords(argv, at, meant));
}

/** Returns the positions of the first words of a command line, without global flags and their values. */
function findLeadingWords(argv: string[]): number[] {
  const at: number[] = [];
  for (let i = 0; i < argv.length && at.length < maxCommandWords; i++) {
    const word = argv[i]!;
    const flag = findGlobalFlag(word);
    if (flag) {
      if (flag.value && !word.includes('=')) i++;
    } else if (word.startsWith('-')) break;
    else at.push(i);
  }
  return at;
}

/** Checks whether a word is a global flag or the value of one. */
const isGlobalFlag = (argv: string[], i: number): boolean =>
  findGlobalFlag(argv[i]!) !== undefined || (findGlobalFlag(argv[i - 1] ?? '')?.value !== undefined && !argv[i - 1]!.includes('='));

function selectEntry<E extends CommandNames>(matches: E[], rest: string[]): E | undefined {
  if (matches.length === 1) return matches[0];
  const isSelected = ({ select, selectedBy = [] }: E): boolean =>
    select !== undefined && [select, ...selectedBy].some((name) => hasFlag(rest, toFlag(name)));
  return matches.find(isSelected) ?? (rest.every((_, i) => isGlobalFlag(rest, i)) ? matches.find((entry) => entry.isDefault) : undefined);
}

/** Returns the operation that is selected when no flag selects another. */
const getDefaultEntry = <E extends CommandNames>(matches: E[]): E => matches.find((entry) => !entry.select) ?? matches[0]!;

function hasFlag(words: string[], flag: string): boolean {
  for (const word of words) {
    if (word === '--') return false;
    if (word === flag || word.startsWith(`${flag}=`)) return true;
  }
  return false;
}

function createUnknownCommand(entries: CommandNames[], argv: string[], at: number[], below: string[]): CommandError {
  const words = at.map((i) => argv[i]!);
  const named = entries.find((entry) => entry.name === words[0] || entry.aliases.includes(words[0]!))?.commands[0];
  if (named) return createCommandError(words[0]!, [named], replaceWords(argv, at.slice(0, 1), named));
  const commands = below.length ? below : entries.flatMap((entry) => entry.commands);
  for (const length of below.length ? [2] : [2, 1]) {
    if (words.length < length) continue;
    const typed = words.slice(0, length).join(' ');
    const { suggestions } = suggestNames(typed, length === 1 ? [...commands, ...listGroups(commands)] : commands);
    const isWhole = commands.includes(suggestions[0] ?? '');
    if (suggestions.length > 0)
      return createCommandError(
        typed,
        suggestions,
        suggestions.length === 1 && isWhole ? replaceWords(argv, at.slice(0, length), suggestions[0]!) : undefined,
      );
  }
  return below.length
    ? createCommandError(words.slice(0, 2).join(' '), below.slice(0, 7), ['help', words[0]!])
    : createCommandError(words[0]!, []);
}

const listGroups = (commands: string[]): string[] => [...new Set(commands.filter((c) => c.includes(' ')).map((c) => c.split(' ')[0]!))];

type CommandError = Extract<CommandMatch<CommandNames>, { error: CleoError }>;

function createCommandError(operation: string, suggestions: string[], guess?: string[]): CommandError {
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
function createFlagError(flag: string, argv: string[], known: string[]): CleoError {
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
