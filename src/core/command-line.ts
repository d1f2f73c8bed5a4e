import { defined } from '#lib/collections.ts';
import type { CommandDefinition, Operation } from './define.ts';
import { commandLine } from './errors/catalog.ts';
import { describeParams } from './shape.ts';

/** The values of the flags that every command accepts. */
export interface Globals {
  json?: boolean;
  human?: boolean;
  quiet?: boolean;
  calls?: boolean;
  color?: string;
  noPager?: boolean;
  fields?: string;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
}

export interface GlobalFlag {
  name: keyof Globals | 'help' | 'version';
  flags: string[];
  /** The placeholder of the value in help; a switch has none. */
  value?: string;
}

/** The flags of every command: the name, the spellings and the placeholder. Their meanings are in `global-flag-meanings.ts`, because
 *  only help needs them. */
export const globalFlags: GlobalFlag[] = (
  [
    ['json', '--json'],
    ['human', '--human'],
    ['quiet', '--quiet -q'],
    ['calls', '--calls'],
    ['color', '--color', 'auto|always|never'],
    ['noPager', '--no-pager'],
    ['fields', '--fields', 'a,b'],
    ['session', '--session', 'SESSION'],
    ['agent', '--agent', 'ID'],
    ['idempotencyKey', '--idempotency-key', 'KEY'],
    ['help', '--help -h'],
    ['version', '--version'],
  ] as [GlobalFlag['name'], string, string?][]
).map(([name, flags, value]) => ({ name, flags: flags.split(' '), ...(value ? { value } : {}) }));

export const findGlobalFlag = (word: string): GlobalFlag | undefined => {
  if (!word.startsWith('-')) return undefined;
  const flag = word.startsWith('--') ? word.split('=', 1)[0]! : word;
  return globalFlags.find((known) => known.flags.includes(flag));
};

export const toFlag = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
export const listCommandNames = (operation: Pick<Operation, 'cli'>): string[] => [operation.cli.command].flat();

/** Converts a call to the words of a command line. A parameter that is read from a file is passed on standard input unless its path is
 *  known. */
export function toArgv(
  operation: CommandDefinition,
  params: Record<string, unknown>,
  paths: Record<string, string> = {},
): { argv: string[]; stdin?: string } {
  const { args: declared = [], read = {}, select, several = '' } = operation.cli;
  const args = params[several] === undefined ? declared : declared.with(-1, several);
  const words = listCommandNames(operation)[0]?.split(' ') ?? [];
  const shapes = new Map(describeParams(operation.params).map((shape) => [shape.name, shape]));
  const flags: string[] = select && !shapes.has(select) ? [toFlag(select)] : [];
  let stdin: string | undefined;
  // After a missing argument, the others can only be passed by name.
  const gap = args.findIndex((name) => params[name] === undefined);
  const positional = gap < 0 ? args : args.slice(0, gap);
  for (const name of positional) {
    const value = params[name];
    if (read[name]) {
      words.push(paths[name] ?? '-');
      stdin = toInput(value);
    } else words.push(...(Array.isArray(value) ? value.map(String) : [String(value)]));
  }
  for (const [name, value] of Object.entries(params)) {
    if (positional.includes(name) || value === undefined) continue;
    const source = read[name];
    if (source) {
      flags.push(toFlag(source.flag ?? name), paths[name] ?? '-');
      stdin = toInput(value);
    } else if (value === true) flags.push(toFlag(name));
    else if (value === false) flags.push(toFlag(name).replace(/^--/, '--no-'));
    else if (Array.isArray(value)) flags.push(...joinFlag(toFlag(name), value.map(toText).join(shapes.get(name)?.separator ?? ',')));
    else flags.push(...joinFlag(toFlag(name), toText(value)));
  }
  // A word that looks like a flag must follow `--`.
  const afterDashes = words.some((word) => /^-./.test(word)) ? ['--', ...words.splice(words.findIndex((word) => /^-./.test(word)))] : [];
  return defined({ argv: [...words, ...flags, ...afterDashes], stdin });
}

export function formatCommand(
  operation: CommandDefinition,
  params: Record<string, unknown>,
  flags: string[] = [],
  paths: Record<string, string> = {},
): string {
  const { argv } = toArgv(operation, dropUnnamedFiles(operation, params, paths), paths);
  const guard = argv.indexOf('--');
  return commandLine(['cleo', ...argv.toSpliced(guard < 0 ? argv.length : guard, 0, ...flags)]);
}

/** Drops optional parameters that were read from a file whose path is unknown: they cannot be typed again. */
function dropUnnamedFiles(
  operation: CommandDefinition,
  params: Record<string, unknown>,
  paths: Record<string, string>,
): Record<string, unknown> {
  const { read } = operation.cli;
  if (!read) return params;
  const required = new Set(describeParams(operation.params).flatMap(({ name, isRequired }) => (isRequired ? [name] : [])));
  return Object.fromEntries(Object.entries(params).filter(([name]) => !read[name] || paths[name] !== undefined || required.has(name)));
}

/** Joins a flag and its value. A value that looks like a flag needs `=`. */
const joinFlag = (flag: string, value: string): string[] => (/^--?[A-Za-z]|^--$/.test(value) ? [`${flag}=${value}`] : [flag, value]);
const toText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
const toInput = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
