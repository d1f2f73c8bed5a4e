import { commandsOf, flagOf } from '../../dispatch/command-line.ts';
import { type Shape, shapesOf } from '../../dispatch/shape.ts';
import { CleoError } from '../../errors/error.ts';
import { commandLine } from '../../errors/quote.ts';
import type { IndexEntry, Operation } from '../../operations/define.ts';
import { nearest } from '../../rules/nearest.ts';

/** What every command takes beside its own parameters. */
export interface Globals {
  json?: boolean;
  human?: boolean;
  quiet?: boolean;
  help?: boolean;
  fields?: string[];
  session?: string;
  agent?: string;
  idempotencyKey?: string;
}

const switches: Record<string, keyof Globals> = {
  '--json': 'json',
  '--human': 'human',
  '--quiet': 'quiet',
  '--help': 'help',
  '-h': 'help',
  '-q': 'quiet',
};
const valued: Record<string, keyof Globals> = {
  '--fields': 'fields',
  '--session': 'session',
  '--agent': 'agent',
  '--idempotency-key': 'idempotencyKey',
};

export const globalFlags: { flag: string; about: string }[] = [
  { flag: '--json', about: 'JSON, also on a terminal' },
  { flag: '--human', about: 'Readable text, also when not on a terminal' },
  { flag: '--quiet, -q', about: 'Bare ids, one a line' },
  { flag: '--fields a,b', about: 'Keep only these fields of each record' },
  { flag: '--session ID', about: 'The session this call belongs to' },
  { flag: '--agent ID', about: 'The agent that is calling' },
  { flag: '--idempotency-key K', about: 'The same key again gives the same answer, without a second effect (writes)' },
  { flag: '--help, -h', about: 'Help for the command' },
];

/** The operation that the words name, the words left over, and the flags that chose between two. */
export function findCommand(
  entries: IndexEntry[],
  argv: string[],
): { entry: IndexEntry; rest: string[] } | { words: string[]; near: string[] } {
  const at = argv.findIndex((word, i) => !word.startsWith('-') && !((argv[i - 1] ?? '') in valued));
  const start = at < 0 ? argv.length : at;
  const words = argv.slice(start);
  for (let length = Math.min(3, words.length); length > 0; length--) {
    const command = words.slice(0, length).join(' ');
    const matches = entries.filter((entry) => entry.commands.includes(command));
    if (matches.length === 0) continue;
    const rest = [...argv.slice(0, start), ...words.slice(length)];
    const selected = matches.find(
      (entry) => entry.select && rest.some((word) => word === flagOf(entry.select!) || word.startsWith(`${flagOf(entry.select!)}=`)),
    );
    const entry = selected ?? matches.find((entry) => !entry.select) ?? matches[0]!;
    return { entry, rest };
  }
  const known = entries.flatMap((entry) => entry.commands);
  const near = [2, 1].flatMap((length) => nearest(words.slice(0, length).join(' '), known));
  const below = known.filter((command) => words[0] && command.startsWith(`${words[0]} `));
  return { words, near: [...new Set(near.length ? near : below)].slice(0, 5) };
}

export interface Parsed {
  params: Record<string, unknown>;
  globals: Globals;
  /** Parameters to be filled from a file or standard input. */
  sources: { name: string; path: string; as: 'json' | 'text' }[];
}

/** Words to parameters, by the flags that follow from the operation's schema. Values are converted, not judged. */
export function parseArguments(operation: Operation, argv: string[]): Parsed {
  const { args = [], short = {}, read = {}, select } = operation.cli;
  const shapes = shapesOf(operation.params);
  const byFlag = new Map<string, Shape>(shapes.map((shape) => [flagOf(read[shape.name]?.flag ?? shape.name), shape]));
  for (const [letter, name] of Object.entries(short)) {
    const shape = shapes.find((s) => s.name === name);
    if (shape) byFlag.set(`-${letter}`, shape);
  }
  const params: Record<string, unknown> = {};
  const globals: Globals = {};
  const positionals: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--') {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    const { flag, inline } = splitFlag(word, byFlag);
    if (!flag) {
      positionals.push(word);
      continue;
    }
    if (flag in switches) {
      globals[switches[flag]!] = true as never;
      continue;
    }
    const negated = flag.startsWith('--no-') ? byFlag.get(`--${flag.slice(5)}`) : undefined;
    if (negated?.type === 'flag') {
      params[negated.name] = false;
      continue;
    }
    const shape = byFlag.get(flag) ?? (flag in valued ? undefined : likely(flag, byFlag));
    if (select && flag === flagOf(select) && !shape) continue;
    if (shape?.type === 'flag' && byFlag.has(flag)) {
      params[shape.name] = inline === undefined ? true : inline === 'true' ? true : inline === 'false' ? false : inline;
      continue;
    }
    const value = inline ?? (shape?.type === 'flag' ? 'true' : argv[++i]);
    if (flag in valued) {
      if (value === undefined) throw missingValue(operation, flag);
      globals[valued[flag]!] = (flag === '--fields' ? value.split(',') : value) as never;
    } else if (byFlag.has(flag) && shape) {
      if (value === undefined) throw missingValue(operation, flag);
      put(params, shape, value);
    } else {
      // Not a flag of this operation; dispatch refuses it by its name and knows the nearest.
      params[camel(flag)] = value ?? true;
    }
  }
  place(operation, args, shapes, positionals, params);
  const sources = Object.entries(read).flatMap(([name, source]) => {
    const path = params[name];
    if (typeof path !== 'string') return [];
    delete params[name];
    return [{ name, path, as: source.as }];
  });
  return { params, globals, sources };
}

/** `--flag`, `--flag=value`, `-f`; anything else (a dash in a title, a negative number) is a value. */
function splitFlag(word: string, byFlag: Map<string, Shape>): { flag?: string; inline?: string } {
  const long = /^(--[A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(word);
  if (long?.[1]) return { flag: long[1], ...(long[2] === undefined ? {} : { inline: long[2] }) };
  return word in switches || byFlag.has(word) || /^-[A-Za-z]$/.test(word) ? { flag: word } : {};
}

/** Whether an unknown flag takes a value is told by the flag it was probably meant to be. */
function likely(flag: string, byFlag: Map<string, Shape>): Shape | undefined {
  const [near] = nearest(flag, [...byFlag.keys()]);
  return near ? byFlag.get(near) : undefined;
}

function put(params: Record<string, unknown>, shape: Shape, text: string): void {
  if (shape.type === 'list') {
    const items = text === '' ? [] : text.split(shape.separator).map((item) => (shape.separator === ',' ? item.trim() : item));
    params[shape.name] = [...((params[shape.name] as string[] | undefined) ?? []), ...items.filter((item) => item !== '')];
  } else if (shape.type === 'number') params[shape.name] = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  else params[shape.name] = text;
}

function place(operation: Operation, args: string[], shapes: Shape[], positionals: string[], params: Record<string, unknown>): void {
  const free = args.filter((name) => params[name] === undefined);
  free.forEach((name, i) => {
    const shape = shapes.find((s) => s.name === name);
    if (!shape) return;
    if (shape.type === 'list' && i === free.length - 1) for (const word of positionals.splice(i)) put(params, shape, word);
    else if (positionals[i] !== undefined) put(params, shape, positionals[i]!);
  });
  const extra = positionals.slice(free.length);
  if (extra.length === 0) return;
  const command = commandsOf(operation)[0] ?? '';
  const joined =
    free.length > 0
      ? ['cleo', ...command.split(' '), ...positionals.slice(0, free.length - 1), positionals.slice(free.length - 1).join(' ')]
      : undefined;
  throw new CleoError('E_INVALID_INPUT', {
    problem: `${command} takes ${args.length === 0 ? 'no arguments' : `at most ${args.length} (${args.join(', ')})`}; ${JSON.stringify(extra[0]?.slice(0, 60))} is too many`,
    fix: joined && joined.join(' ').length < 500 ? commandLine(joined) : `cleo help ${command}`,
  });
}

const missingValue = (operation: Operation, flag: string): CleoError =>
  new CleoError('E_INVALID_INPUT', { problem: `${flag} needs a value`, fix: `cleo help ${commandsOf(operation)[0] ?? ''}` });

const camel = (flag: string): string => flag.replace(/^-+/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
