import { commandLine } from '../errors/quote.ts';
import type { Operation } from '../operations/define.ts';
import { shapesOf } from './shape.ts';

export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
export const commandsOf = (operation: Pick<Operation, 'cli'>): string[] => [operation.cli.command].flat();

/** The call as words of a command line; what is read from a file is handed over on standard input. */
export function argvOf(operation: Operation, params: Record<string, unknown>): { argv: string[]; stdin?: string } {
  const { args = [], read = {}, select } = operation.cli;
  const words = commandsOf(operation)[0]?.split(' ') ?? [];
  const flags: string[] = select ? [flagOf(select)] : [];
  let stdin: string | undefined;
  const shapes = new Map(shapesOf(operation.params).map((shape) => [shape.name, shape]));
  for (const name of args) {
    const value = params[name];
    if (value === undefined) continue;
    if (read[name]) {
      words.push('-');
      stdin = asInput(value);
    } else words.push(...(Array.isArray(value) ? value.map(String) : [String(value)]));
  }
  for (const [name, value] of Object.entries(params)) {
    if (args.includes(name) || value === undefined) continue;
    const source = read[name];
    if (source) {
      flags.push(flagOf(source.flag ?? name), '-');
      stdin = asInput(value);
    } else if (value === true) flags.push(flagOf(name));
    else if (value === false) flags.push(flagOf(name).replace(/^--/, '--no-'));
    else if (Array.isArray(value))
      flags.push(
        flagOf(name),
        value.map((item) => (typeof item === 'object' ? JSON.stringify(item) : String(item))).join(shapes.get(name)?.separator ?? ','),
      );
    else flags.push(flagOf(name), typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  // A word that looks like a flag is only safe behind `--`.
  const guarded = words.some((word) => /^-./.test(word)) ? ['--', ...words.splice(words.findIndex((word) => /^-./.test(word)))] : [];
  return { argv: [...words, ...flags, ...guarded], ...(stdin === undefined ? {} : { stdin }) };
}

export const commandFor = (operation: Operation, params: Record<string, unknown>): string =>
  commandLine(['cleo', ...argvOf(operation, params).argv]);

const asInput = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
