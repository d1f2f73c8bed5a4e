import { parseShellWords } from '../../src/lib/shell-words.ts';

/** One command of a line, with the variables that are set for it only. */
export interface ShellCommand {
  env: Record<string, string>;
  words: string[];
}

/** Parses a line of commands that are joined by `&&`. Undefined for a line that needs more of a shell. */
export function parseShellLine(line: string): ShellCommand[] | undefined {
  const commands: ShellCommand[] = [];
  for (const part of line.split(' && ')) {
    const words = parseShellWords(part);
    if (!words) return undefined;
    const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
    if (start < 0) return undefined;
    const env = Object.fromEntries(words.slice(0, start).map((word) => [word.split('=')[0]!, word.slice(word.indexOf('=') + 1)]));
    commands.push({ env, words: words.slice(start) });
  }
  return commands;
}
