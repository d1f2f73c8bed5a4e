import { toFlag } from '#core/command-line.ts';
import type { RegistryEntry } from '#core/define.ts';
import { findGlobalFlag } from '#core/global-flags.ts';

/** The names under which a command is found. */
export type CommandNames = Pick<RegistryEntry, 'name' | 'aliases' | 'commands' | 'select' | 'selectedBy' | 'isDefault'>;

/** The command that the words name and the remaining words, or a group of commands, or an error. */
export type CommandMatch<E extends CommandNames> =
  | { entry: E; rest: string[] }
  | { group: string }
  /** No command has this name, or its first option precedes it. `unknown-command.ts` finds out what is meant. */
  | { unknown: true }
  | { nothing: true };

const maxCommandWords = 3;

/** Returns the first word that is not a global flag or the value of one; empty without such a word. */
export const getFirstWord = (argv: string[]): string => argv[findLeadingWords(argv)[0] ?? -1] ?? '';

/** Finds the command that the words name. A command with a misspelt subcommand is unknown. */
export function findCommand<E extends CommandNames>(
  entries: E[],
  argv: string[],
  isMisspelt: (entries: CommandNames[], words: string[]) => unknown = mayBeMisspelt,
): CommandMatch<E> {
  const at = findLeadingWords(argv);
  const words = at.map((i) => argv[i]!);
  for (let length = words.length; length > 0; length--) {
    const command = words.slice(0, length).join(' ');
    const matches = entries.filter((entry) => entry.commands.includes(command));
    if (matches.length === 0) continue;
    const rest = argv.filter((_, i) => !at.slice(0, length).includes(i));
    if (length < words.length && isMisspelt(entries, words.slice(0, length + 1))) return { unknown: true };
    return { entry: selectEntry(matches, rest) ?? getDefaultEntry(matches), rest };
  }
  if (words.length > 0) {
    const below = entries.flatMap((entry) => entry.commands.filter((command) => command.startsWith(`${words[0]} `)));
    if (below.length > 0 && words.length === 1 && argv.every((_, i) => i === at[0] || isGlobalFlag(argv, i))) return { group: words[0]! };
    return { unknown: true };
  }
  return argv.some((word) => word.startsWith('-') && !findGlobalFlag(word)) ? { unknown: true } : { nothing: true };
}

/** The word after a command may be a misspelt subcommand. `findMisspelling` tells for certain; few commands have subcommands. */
function mayBeMisspelt(entries: CommandNames[], words: string[]): boolean {
  const beginning = `${words.slice(0, -1).join(' ')} `;
  return entries.some(({ commands }) => commands.some((command) => command.startsWith(beginning))) && /^[a-z]{3,}$/.test(words.at(-1)!);
}

/** Returns the positions of the first words of a command line, without global flags and their values. */
export function findLeadingWords(argv: string[]): number[] {
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
