import type { Shortcut } from '#core/cli-definition.ts';
import { listCommandNames, toFlag } from '#core/command-line.ts';
import type { CommandDefinition, Registry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { commandLine } from '#core/errors/quote.ts';
import { taskNouns } from '#core/operation-names.ts';
import { describeParams, type ParamShape } from '#core/shape.ts';
import { guessChoice, nameFields, parseChoice } from '#dispatch/lenient-params.ts';
import { getOwn } from '#lib/collections.ts';
import { createFlags, type Flag, isCall, type ParsedArguments, parseArguments, splitFlag } from './arguments.ts';
import type { ResolvedCommand } from './unknown-command.ts';
import { explainUnknownFlag } from './unknown-flag.ts';

/** Confirmations and verbosity have no effect here, so they are accepted. */
const ignoredFlags = new Set(['--yes', '-y', '--no-input', '--verbose']);

/** Parses words that do not fit the command as they are: other names of flags, `key=value`, a value after a switch, the word `task`,
 *  or a status without its flag. If that does not help, the error of the first attempt is returned. */
export function parseLeniently(operation: CommandDefinition, words: string[], shortcut?: Shortcut): ParsedArguments {
  const definition = shortcut ? applyShortcut(operation, shortcut) : operation;
  const finish = (parsed: ParsedArguments): ParsedArguments => ({ ...parsed, params: { ...shortcut?.params, ...parsed.params } });
  const given = shortcut ? renameFlags(words, shortcut) : words;
  const strict = parseWithTexts(definition, given);
  if (!strict.error && !strict.isUnsure) return finish(strict);
  const named = correctFlags(definition, given);
  if (!strict.error) {
    const corrected = parseWithTexts(definition, dropNoun(named));
    return finish(corrected.error ? strict : corrected);
  }
  const attempts = [named, dropNoun(named), correctExtraWords(definition, named)];
  const parsed = attempts.map((attempt) => parseWithTexts(definition, attempt)).find(({ error }) => !error);
  if (parsed) return finish(parsed);
  const remaining = named.join('\0') === given.join('\0') ? strict : parseWithTexts(definition, named);
  return finish({ ...remaining, error: suggestGuess(definition, given) ?? remaining.error! });
}

/** Parses words with the flags that read a text from a file, standard input or an editor. They are here because few calls use them. */
function parseWithTexts(operation: CommandDefinition, words: string[]): ParsedArguments {
  const texts = operation.cli.texts ?? [];
  const parsed = parseArguments(operation, words, explainUnknownFlag, (flags, target) => addTextFlags(texts, flags, target));
  for (const name of texts) {
    if (parsed.params[name] === '-') {
      delete parsed.params[name];
      parsed.sources.push({ name, path: '-', as: 'text', isTrimmed: true });
    }
    const isTaken = parsed.sources.filter(({ path }) => path === '-').length > 1;
    const count = parsed.sources.filter((source) => source.name === name).length + (parsed.params[name] === undefined ? 0 : 1);
    if (!isTaken && count <= 1) continue;
    parsed.error ??= new CleoError('E_INVALID_INPUT', {
      problem: isTaken ? 'standard input is given twice' : `${toFlag(name)} is given twice`,
      fix: `cleo help ${listCommandNames(operation)[0]}`,
    });
  }
  return parsed;
}

function addTextFlags(texts: string[], flags: Map<string, Flag>, parsed: ParsedArguments): void {
  for (const name of texts)
    flags.set(`${toFlag(name)}-file`, {
      takesValue: true,
      set: (path) => parsed.sources.push({ name, path, as: 'text', isTrimmed: true }),
    });
  if (texts.length === 0) return;
  flags.set('--edit', {
    takesValue: false,
    set: (_, isOn) => {
      parsed.isEdited = isOn;
    },
  });
}

/** Returns the error of a value of `--color` that does not exist. */
export function checkColour(value: string): CleoError | undefined {
  if (['auto', 'always', 'never'].includes(value)) return undefined;
  const problem = `--color is auto, always or never, not ${JSON.stringify(value.slice(0, 60))}`;
  return new CleoError('E_INVALID_INPUT', { problem, fix: 'cleo help' });
}

/** Creates an error with the command that a short flag of another tool may mean. The caller decides. */
function suggestGuess(operation: CommandDefinition, words: string[]): CleoError | undefined {
  const guess = correctFlags(operation, words, 'guess');
  const flag = words.find((word, i) => /^-[a-z]$/.test(word) && !guess.includes(word) && words[i + 1] !== undefined);
  if (!flag || !isCall(operation, guess)) return undefined;
  const command = listCommandNames(operation)[0] ?? '';
  return new CleoError('E_INVALID_INPUT', {
    problem: `${command} has no option ${JSON.stringify(flag)}`,
    fix: commandLine(['cleo', ...command.split(' '), ...guess]),
  });
}

/** Finds the synonym of a subcommand where the group is a command without arguments: `session ls` is `session list`. */
export async function findSubcommand(
  registry: Registry,
  operation: CommandDefinition,
  argv: string[],
): Promise<ResolvedCommand | undefined> {
  if (operation.cli.args?.length) return undefined;
  const [{ resolveCommand }, { synonyms }] = await Promise.all([import('./unknown-command.ts'), import('#core/synonyms.generated.ts')]);
  return resolveCommand(registry, argv, synonyms);
}

function applyShortcut(operation: CommandDefinition, { args, variadic, paramAliases }: Shortcut): CommandDefinition {
  const { variadic: _, several, ...cli } = operation.cli;
  return {
    ...operation,
    paramAliases: { ...operation.paramAliases, ...paramAliases },
    // Words after the id are the text or the labels, not more ids.
    cli: { ...cli, args, ...(variadic ? { variadic } : {}), ...(several && args.length === 1 ? { several } : {}) },
  };
}

/** Names the flags of a shortcut as its operation does: `block T1 --reason x` sets `--blocked-by`, not `--reason`. */
function renameFlags(words: string[], { paramAliases = {} }: Shortcut): string[] {
  return words.map((word) => {
    const [, name = '', rest = ''] = /^--([\w-]+)(=.*)?$/s.exec(word) ?? [];
    const meant = getOwn(paramAliases, name);
    return meant ? `${toFlag(meant)}${rest}` : word;
  });
}

/** Replaces flags by those of the command, and joins a switch with its value. */
function correctFlags(operation: CommandDefinition, words: string[], mode: 'sure' | 'guess' = 'sure'): string[] {
  const shapes = describeParams(operation.params);
  const scratch: ParsedArguments = { params: {}, globals: {}, sources: [] };
  const flags = createFlags(operation, shapes, scratch);
  addTextFlags(operation.cli.texts ?? [], flags, scratch);
  const end = words.indexOf('--');
  const corrected: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (end >= 0 && i >= end) {
      corrected.push(...words.slice(i));
      break;
    }
    const { name, inline } = splitFlag(word);
    const known = name ? flags.get(name) : undefined;
    const next = words[i + 1];
    if (known && !known.takesValue && inline === undefined && (next === 'true' || next === 'false')) {
      corrected.push(`${name}=${next}`);
      i++;
    } else if (known && name && known.takesValue && inline === undefined && next !== undefined) {
      corrected.push(word, next);
      i++;
    } else if (!name || known) corrected.push(name ? word : correctPair(operation, shapes, word));
    else if (!ignoredFlags.has(name)) {
      const { replacement, usesNext } = correctFlag(operation, shapes, flags, { name, inline, next, mode });
      corrected.push(replacement ?? word);
      // The value after a renamed flag is not a pair: `--label type:bug`.
      const takesNext = replacement !== undefined && flags.get(replacement)?.takesValue && next !== undefined;
      if (takesNext) corrected.push(next);
      if (usesNext || takesNext) i++;
    }
  }
  return corrected;
}

interface GivenFlag {
  name: string;
  inline?: string | undefined;
  next: string | undefined;
  mode: 'sure' | 'guess';
}

/** Short flags of other tools. The value decides between their meanings: `-p P1` is a priority, `-p T1` a parent. */
const shortFlags: Record<string, string[]> = {
  '-p': ['priority', 'parent'],
  '-t': ['type', 'title'],
  '-s': ['status'],
  '-l': ['labels', 'label'],
  '-b': ['description'],
  '-m': ['notes', 'note', 'reason'],
  '-n': ['limit'],
  '-L': ['limit'],
};

/** Finds the parameter that a short flag means with this value. */
function findShortParam(shapes: ParamShape[], { name, next = '', mode }: GivenFlag): string | undefined {
  const fits = ({ choices, value, type }: ParamShape): boolean =>
    choices ? fitsChoice(next, choices, mode) : value === 'T###' ? /^[A-Za-z-]*T\d+$/i.test(next) : type !== 'number' || /^\d+$/.test(next);
  const declared = (getOwn(shortFlags, name) ?? []).flatMap((each) => shapes.find((shape) => shape.name === each) ?? []);
  return declared.find(fits)?.name;
}

const fitsChoice = (word: string, choices: string[], mode: 'sure' | 'guess'): boolean =>
  (mode === 'guess' ? guessChoice : parseChoice)(word, choices) !== undefined;

function correctFlag(
  operation: CommandDefinition,
  shapes: ParamShape[],
  flags: Map<string, Flag>,
  given: GivenFlag,
): { replacement?: string; usesNext?: boolean } {
  const { name, inline, next, mode } = given;
  const suffix = inline === undefined ? '' : `=${inline}`;
  const meant = findParam(operation, shapes, name.replace(/^-+/, ''));
  if (meant && name.startsWith('--')) return { replacement: `${meant}${suffix}` };
  const short = findShortParam(shapes, given);
  const choices = shapes.find((shape) => shape.name === short)?.choices;
  if (short && mode === 'guess')
    return { replacement: `${toFlag(short)}=${(choices && guessChoice(next ?? '', choices)) ?? next}`, usesNext: true };
  if (short) return { replacement: toFlag(short) };
  if (name === '--no-color' || name === '--no-colour') return { replacement: '--color=never' };
  if (name === '--colour') return { replacement: `--color${suffix}` };
  // `--format json` and `-o json` of other tools.
  const format = inline ?? next;
  if (['--format', '--output', '-o', '-f'].includes(name) && !flags.has(name) && (format === 'json' || format === 'text'))
    return { replacement: format === 'json' ? '--json' : '--human', usesNext: inline === undefined };
  return {};
}

/** Returns the flag of the parameter that a name means. */
function findParam(operation: CommandDefinition, shapes: ParamShape[], name: string): string | undefined {
  const meant = nameFields(
    { [name]: '' },
    shapes.map((shape) => shape.name),
    operation.paramAliases,
  ).get(name);
  return meant && toFlag(operation.cli.read?.[meant]?.flag ?? meant);
}

/** Turns `status=done` and `priority:high` into flags, if the name is a parameter. `id:6` may be the id of another tool. */
function correctPair(operation: CommandDefinition, shapes: ParamShape[], word: string): string {
  const [, name = '', sign = '', value = ''] = /^([a-z][\w-]*)([=:])(\S.*)$/i.exec(word) ?? [];
  const flag = name && value ? findParam(operation, shapes, name) : undefined;
  const isForeignId = sign === ':' && operation.cli.args?.some((argument) => toFlag(argument) === flag);
  return flag && !isForeignId ? `${flag}=${value}` : word;
}

/** Drops the noun of `show task T1`. */
const dropNoun = (words: string[]): string[] => (taskNouns.has(words[0] ?? '') ? words.slice(1) : words);

/** Turns words that are a choice of one parameter into its flag: `list open`, `list epics`, `add epic Title`. */
function correctExtraWords(operation: CommandDefinition, words: string[]): string[] {
  const shapes = describeParams(operation.params).filter(({ type, choices }) => type === 'text' || (type === 'list' && choices));
  const [first = ''] = words;
  const matches = shapes.flatMap(({ name, choices = [] }) => {
    const value = parseChoice(first, choices);
    return value ? [`${toFlag(name)}=${value}`] : [];
  });
  const isOpen = first === 'open' && describeParams(operation.params).some(({ name, type }) => name === 'open' && type === 'flag');
  const flag = isOpen ? '--open' : matches[0];
  return flag && (isOpen || matches.length === 1) ? [...words.slice(1), flag] : words;
}
