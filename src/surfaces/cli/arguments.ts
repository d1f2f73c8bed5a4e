import {
  describeParams,
  findGlobalFlag,
  findParam,
  formatCommand,
  type Globals,
  globalFlags,
  listCommandNames,
  type ParamShape,
  toFlag,
} from '#core/command-line.ts';
import type { CommandDefinition, RegistryEntry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { isValidShape } from '#dispatch/dispatch.ts';
import type { InputSource } from './input.ts';
import type { explainUnknownFlag } from './unknown-flag.ts';

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
  return /^[a-z]{3,}$/.test(words.at(-1)!) && entries.some(({ commands }) => commands.some((command) => command.startsWith(beginning)));
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

export interface ParsedArguments {
  params: Record<string, unknown>;
  globals: Globals;
  /** Parameters that are read from a file or standard input. */
  sources: InputSource[];
  /** `--edit` is given. */
  isEdited?: boolean;
  /** The first error in the words. */
  error?: CleoError;
  /** A word that is taken as an id does not look like one: `task`, `priority=high`, or the id of another tool. */
  isUnsure?: boolean;
}

/** Checks whether the words fit the parameters of a command. The content of files is not checked. */
export function isCall(operation: CommandDefinition, argv: string[]): boolean {
  const { params, sources, error } = parseArguments(operation, argv);
  return !error && (sources.length > 0 || isValidShape(operation, params));
}

export interface Flag {
  takesValue: boolean;
  /** A list flag may be repeated. */
  isList?: boolean;
  set(value: string, isOn: boolean): void;
}

/** Parses words into parameters by the flags of the operation's schema. Values are converted but not validated. Callers that print the
 *  error pass `explain`; every command would have to load it otherwise. */
export function parseArguments(
  operation: CommandDefinition,
  argv: string[],
  explain?: typeof explainUnknownFlag,
  addFlags?: (flags: Map<string, Flag>, parsed: ParsedArguments) => void,
): ParsedArguments {
  const parsed: ParsedArguments = { params: {}, globals: {}, sources: [] };
  const refuse = (problem: string, fix: string, suggestions?: string[]): void => {
    parsed.error ??= new CleoError('E_INVALID_INPUT', {
      problem,
      fix: fix.length <= 500 ? fix : formatHelpCommand(operation),
      ...(suggestions?.length ? { suggestions } : {}),
    });
  };
  let known: Map<string, Flag> | undefined;
  // Most command lines have no flags.
  const getFlags = (): Map<string, Flag> => {
    if (known) return known;
    known = createFlags(operation, describeParams(operation.params), parsed);
    addFlags?.(known, parsed);
    return known;
  };
  const positionals: string[] = [];
  const given = new Set<Flag>();
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--') {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    const { name, inline } = splitFlag(word);
    if (!name) {
      positionals.push(word);
      continue;
    }
    const flag = getFlags().get(name);
    if (!flag) {
      const explained: ReturnType<typeof explainUnknownFlag> = explain?.(operation, argv, i, getFlags()) ?? [word, '', []];
      refuse(...explained);
      continue;
    }
    if (!flag.takesValue) {
      if (inline !== undefined && inline !== 'true' && inline !== 'false') refuse(`${name} takes no value`, formatHelpCommand(operation));
      flag.set('', inline !== 'false');
      continue;
    }
    // A value may begin with a dash. If it is a flag of the command, the value is probably missing; `--flag=value` passes it anyway.
    const next = argv[i + 1];
    if (inline === undefined && (next === undefined || next === '--' || getFlags().has(splitFlag(next).name ?? ''))) {
      refuse(`${name} needs a value${next === undefined ? '' : `; ${name}=${next} if that is it`}`, formatHelpCommand(operation));
      continue;
    }
    if (given.has(flag) && !flag.isList) refuse(`${name} is given twice`, formatHelpCommand(operation));
    given.add(flag);
    flag.set(inline ?? argv[++i]!, true);
  }
  placePositionals(operation, positionals, parsed.params, refuse);
  // JSON in place of the parameters would become a title.
  if (positionals[0]?.startsWith('{"')) parsed.isUnsure = true;
  if (operation.cli.several) parsed.isUnsure = !/^([\w,-]*\d( |$))*$/.test(positionals.join(' '));
  for (const [name, { as, isPiped, files }] of Object.entries(operation.cli.read ?? {})) {
    const path = parsed.params[name];
    if (typeof path === 'string') parsed.sources.push({ name, path, as, ...(files ? { files } : {}) });
    else if (isPiped === true || (isPiped && parsed.params[isPiped])) parsed.sources.push({ name, path: '-', as, mayBeEmpty: true });
    delete parsed.params[name];
  }
  const { dash = '', fills = '' } = operation.cli.stdinParam ?? {};
  if (parsed.params[dash] === '-' && parsed.params[fills] === undefined) {
    delete parsed.params[dash];
    parsed.sources.push({ name: fills, path: '-', as: 'bytes' });
  }
  return parsed;
}

/** Maps every spelling of a flag to its effect. */
export function createFlags(operation: CommandDefinition, shapes: ParamShape[], { params, globals }: ParsedArguments): Map<string, Flag> {
  const { short = {}, read = {}, select } = operation.cli;
  const flags = new Map<string, Flag>();
  for (const { name, flags: spellings, value } of globalFlags.filter((flag) => flag.name !== 'version'))
    for (const spelling of spellings)
      flags.set(spelling, {
        takesValue: value !== undefined,
        set: (text, isOn) => Object.assign(globals, { [name]: value ? text : isOn }),
      });
  if (select) flags.set(toFlag(select), { takesValue: false, set: () => {} });
  for (const shape of shapes) {
    const isSwitch = shape.type === 'flag' && !read[shape.name];
    const flag: Flag = {
      takesValue: !isSwitch,
      isList: shape.type === 'list',
      set: (text, isOn) => (isSwitch ? assignParam(params, shape.name, isOn) : setParam(operation, params, shape, text)),
    };
    flags.set(toFlag(read[shape.name]?.flag ?? shape.name), flag);
    for (const [letter, name] of Object.entries(short)) if (name === shape.name) flags.set(`-${letter}`, flag);
    if (isSwitch)
      flags.set(`--no-${toFlag(shape.name).slice(2)}`, { takesValue: false, set: (_, isOn) => assignParam(params, shape.name, !isOn) });
  }
  return flags;
}

/** Splits `--flag`, `--flag=value` and `-f`. Any other word is a value, such as a negative number. */
export function splitFlag(word: string): { name?: string; inline?: string } {
  if (!word.startsWith('-')) return {};
  const long = /^(--[A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(word);
  if (long?.[1]) return { name: long[1], ...(long[2] === undefined ? {} : { inline: long[2] }) };
  return /^-[A-Za-z]$/.test(word) ? { name: word } : {};
}

const assignParam = (params: Record<string, unknown>, name: string, value: unknown): void => {
  params[name] = value;
};

function setParam(operation: CommandDefinition, params: Record<string, unknown>, shape: ParamShape, text: string): void {
  const { name, type, separator } = shape;
  if (operation.cli.read?.[name]) params[name] = text;
  else if (type === 'list') {
    const items = text.split(separator).map((item) => item.trim());
    params[name] = [...((params[name] as string[] | undefined) ?? []), ...items.filter((item) => item !== '')];
  } else if (type === 'number') params[name] = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  else params[name] = text;
}

function placePositionals(
  operation: CommandDefinition,
  positionals: string[],
  params: Record<string, unknown>,
  refuse: (problem: string, fix: string) => void,
): void {
  const { args = [], variadic, several } = operation.cli;
  const free: ParamShape[] = [];
  for (const name of args) {
    const shape = params[name] === undefined && findParam(operation.params, name);
    if (shape) free.push(shape);
  }
  const last = free[free.length - 1];
  const before = positionals.slice(0, Math.max(0, free.length - 1));
  const end = positionals.slice(before.length);
  for (let i = 0; i < before.length; i++) setParam(operation, params, free[i]!, before[i]!);
  const list =
    several && last?.name === args[args.length - 1] && (end.length > 1 || end[0]?.includes(','))
      ? findParam(operation.params, several)
      : undefined;
  if (list) {
    for (const word of end) setParam(operation, params, list, word);
    return;
  }
  const takesAll = variadic || (last?.type === 'list' && !operation.cli.read?.[last.name]);
  if (last && takesAll && !variadic) for (const word of end) setParam(operation, params, last, word);
  else if (last && end.length > 0) setParam(operation, params, last, variadic ? end.join(' ') : end[0]!);
  if (last ? end.length === 1 || takesAll || end.length === 0 : end.length === 0) return;
  const extra = last ? end[1]! : end[0]!;
  // Unquoted words of a text are joined in the fix; ids and choices have no spaces.
  const isText = last && last.type === 'text' && !last.value && !last.choices;
  // A text in quotes is complete.
  const isQuoted = isText && end.some((word) => /\s/.test(word));
  refuse(
    `${getCommandName(operation)} takes ${args.length === 0 ? 'no arguments' : `at most ${args.length} (${args.join(', ')})`}; ${JSON.stringify(extra.slice(0, 60))} is too many`,
    last && !isQuoted
      ? formatCommand(operation, { ...params, ...(isText ? { [last.name]: end.join(' ') } : {}) })
      : formatHelpCommand(operation),
  );
}

export const getCommandName = (operation: CommandDefinition): string => listCommandNames(operation)[0] ?? '';
export const formatHelpCommand = (operation: CommandDefinition): string => `cleo help ${getCommandName(operation)}`;
