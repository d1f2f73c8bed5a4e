import { suggestNames } from '#dispatch/suggest.ts';
import type { CommandNames } from './arguments.ts';

/** Finds the command behind typos such as `focus sett T1`: the word after a command resembles one of its subcommands. */
export function findMisspelling(entries: CommandNames[], words: string[]): string | undefined {
  const word = words.at(-1)!;
  if (!/^[a-z]{3,}$/.test(word)) return undefined;
  const beginning = `${words.slice(0, -1).join(' ')} `;
  const below = entries.flatMap(({ commands }) => commands.filter((command) => command.startsWith(beginning)));
  const { suggestions } = suggestNames(
    word,
    below.map((command) => command.slice(beginning.length)),
  );
  return suggestions.length === 1 ? `${beginning}${suggestions[0]}` : undefined;
}
