import type { CommandDefinition } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { suggestFlag } from '#dispatch/suggest.ts';
import { type Flag, formatHelpCommand, getCommandName, isCall, splitFlag } from './arguments.ts';

/** Returns the problem with the option at a position, the command with the option that is probably meant, and the nearest options. */
export function explainUnknownFlag(
  operation: CommandDefinition,
  argv: string[],
  position: number,
  flags: Map<string, Flag>,
): [problem: string, fix: string, suggestions: string[]] {
  const word = argv[position] ?? '';
  const { name = '' } = splitFlag(word);
  const { suggestions, question } = suggestFlag(name, flags.keys());
  const corrected = argv.with(position, word.replace(name, suggestions[0] ?? ''));
  const command = getCommandName(operation);
  return [
    `${command} has no option ${JSON.stringify(name.slice(0, 60))}${question}`,
    suggestions.length === 1 && isCall(operation, corrected)
      ? commandLine(['cleo', ...command.split(' '), ...corrected])
      : formatHelpCommand(operation),
    suggestions,
  ];
}
