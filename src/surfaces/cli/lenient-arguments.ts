import type { Shortcut } from '#core/cli-definition.ts';
import { describeParams, formatCommand, listCommandNames, type ParamShape, toFlag } from '#core/command-line.ts';
import type { CommandDefinition, Registry } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { taskNouns } from '#core/operation-names.ts';
import { formatSearch } from '#dispatch/input-error.ts';
import { guessChoice, matchParamName, nameFields, parseChoice, selectsOpenTasks, toFields } from '#dispatch/lenient-params.ts';
import { getOwn } from '#lib/collections.ts';
import { createFlags, type Flag, isCall, type ParsedArguments, parseArguments, splitFlag } from './arguments.ts';
import type { ResolvedCommand } from './unknown-command.ts';
import { explainUnknownFlag } from './unknown-flag.ts';

/** Confirmations and verbosity have no effect here, so they are accepted. */
const ignoredFlags = new Set(['--yes', '-y', '--no-input', '--verbose', '--full', '--pretty', '--ignore-case', '-i']);

/** Parses words that do not fit the command as they are: other names of flags, `key=value`, a value after a switch, the word `task`,
 *  or a status without its flag. If that does not help, the error of the first attempt is returned. */
export function parseLeniently(operation: CommandDefinition, words: string[], shortcut?: Shortcut): ParsedArguments {
  const definition = shortcut ? applyShortcut(operation, shortcut) : operation;
  const finish = (parsed: ParsedArguments): ParsedArguments => ({ ...parsed, params: { ...shortcut?.params, ...parsed.params } });
  const given = shortcut ? renameFlags(words, shortcut) : words;
  const strict = parseJsonArgument(definition, given) ?? parseWithTexts(definition, given);
  if (!strict.error && !strict.isUnsure) return finish(strict);
  const named = correctFlags(definition, given);
  if (!strict.error) {
    const corrected = parseWithTexts(definition, dropNoun(named));
    return finish(corrected.error ? strict : corrected);
  }
  const joined = joinListValues(definition, named);
  const attempts = [named, dropNoun(named), correctExtraWords(definition, named), joined, dropNoun(joined)];
  const parsed = attempts.map((attempt) => parseWithTexts(definition, attempt)).find(({ error }) => !error);
  if (parsed) return finish(parsed);
  const remaining = named.join('\0') === given.join('\0') ? strict : parseWithTexts(definition, named);
  return finish({ ...remaining, error: suggestGuess(definition, given) ?? suggestWords(definition, named, remaining) ?? remaining.error! });
}

/** Reads a JSON object in place of the arguments: `add '{"title": "Write the parser"}'`. */
function parseJsonArgument(operation: CommandDefinition, words: string[]): ParsedArguments | undefined {
  const at = words.findIndex((word) => word.startsWith('{"'));
  const params = at < 0 || operation.cli.stdinParam || operation.cli.variadic ? undefined : toFields(words[at]);
  if (!params) return undefined;
  const rest = parseWithTexts(operation, words.toSpliced(at, 1));
  const names = nameFields(
    params,
    describeParams(operation.params).map(({ name }) => name),
    operation.paramAliases,
  );
  if (rest.error || names.size < Object.keys(params).length) return undefined;
  return { ...rest, params: { ...params, ...rest.params }, isUnsure: false };
}

/** Joins the words after the flag of a list with its value: `--status pending active`. The last word stays if it is an argument. */
function joinListValues(operation: CommandDefinition, words: string[]): string[] {
  const lists = new Set(
    describeParams(operation.params).flatMap(({ name, type }) =>
      type === 'list' ? [toFlag(operation.cli.read?.[name]?.flag ?? name)] : [],
    ),
  );
  const joined: string[] = [];
  let isInList = false;
  for (const word of words) {
    if (isInList && !word.startsWith('-') && joined.length > 1 && lists.has(joined.at(-2)!)) joined.push(`${joined.pop()},${word}`);
    else joined.push(word);
    isInList = word.startsWith('-') ? false : lists.has(joined.at(-2) ?? '');
  }
  return joined;
}

/** Suggests what words mean that are too many: a parent, labels, a choice or a search. A title in quotes is complete, so that no word is
 *  added to it. */
function suggestWords(operation: CommandDefinition, words: string[], { error, params }: ParsedArguments): CleoError | undefined {
  const shapes = describeParams(operation.params);
  const names = new Set(shapes.map(({ name }) => name));
  const given = listPositionals(operation, words);
  const flags = parseArguments(
    operation,
    words.filter((word) => !given.includes(word)),
  );
  const refuse = (fix: string | undefined): CleoError | undefined =>
    fix === undefined || !error
      ? undefined
      : new CleoError('E_INVALID_INPUT', { problem: String(error.details.problem ?? error.message), fix });
  const { search, args: [first = ''] = [] } = operation.cli;
  if (search) {
    const text = findSearchText(words) ?? (given.length > 0 && !operation.cli.args ? given.join(' ') : undefined);
    if (text === undefined) return undefined;
    if (names.has('parent') && /^T\d+$/i.test(text)) return refuse(formatCommand(operation, { ...flags.params, parent: text }));
    return refuse(formatSearch(operation, { ...flags.params, query: text }, ['query']));
  }
  if (flags.error || first !== 'title' || given.length < 2) return undefined;
  const meant = readTitleWords(shapes, given);
  return meant && refuse(formatCommand(operation, { ...params, ...flags.params, ...meant }));
}

/** Reads the words of a new task: its parent or type before the title, or parent, labels and choices after a title in quotes. */
function readTitleWords(shapes: ParamShape[], words: string[]): Record<string, unknown> | undefined {
  const [first = '', second = '', third = ''] = words;
  const isId = (word: string): boolean => /^#?T\d+$/i.test(word);
  const findChoices = (name: string): string[] => shapes.find((shape) => shape.name === name)?.choices ?? [];
  if (words.length === 2 && isId(first)) return { title: second, parent: first };
  if (words.length === 2 && first === 'title') return { title: second };
  if (words.length === 2 && guessChoice(first, findChoices('type')))
    return { title: second, type: guessChoice(first, findChoices('type')) };
  if (words.length === 3 && ['to', 'in', 'under', 'into'].includes(second) && isId(third)) return { title: first, parent: third };
  if (!/\s/.test(first)) return undefined;
  const labels = words.slice(1).map((word) => /^(?:[+#]|\[)([a-z][a-z0-9._:/-]*)\]?$/.exec(word)?.[1]);
  if (labels.every((label) => label !== undefined)) return { title: first, labels };
  const priority = words.length === 2 && parseChoice(second, findChoices('priority'));
  return priority ? { title: first, priority } : undefined;
}

/** Lists the words that are neither a flag nor its value. */
function listPositionals(operation: CommandDefinition, words: string[]): string[] {
  const scratch: ParsedArguments = { params: {}, globals: {}, sources: [] };
  const flags = createFlags(operation, describeParams(operation.params), scratch);
  addTextFlags(operation.cli.texts ?? [], flags, scratch);
  return words.filter((word, i) => {
    const before = splitFlag(words[i - 1] ?? '');
    return (
      splitFlag(word).name === undefined && !(before.name && before.inline === undefined && (flags.get(before.name)?.takesValue ?? true))
    );
  });
}

/** Returns the value of a flag such as `--search`. */
function findSearchText(words: string[]): string | undefined {
  const at = words.findIndex((word) => matchParamName(splitFlag(word).name?.slice(2) ?? '', ['query']) !== undefined);
  const text = at < 0 ? undefined : (splitFlag(words[at]!).inline ?? words[at + 1]);
  return text?.startsWith('-') ? undefined : text;
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

const filterFlags = new Set(['--filter', '--filters', '--where']);

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
  '-a': ['assignee', 'all'],
  '-A': ['all'],
};

/** Finds the parameter that a short flag means with this value. */
function findShortParam(shapes: ParamShape[], { name, next = '', mode }: GivenFlag): string | undefined {
  const fits = ({ choices, value, type }: ParamShape): boolean =>
    choices ? fitsChoice(next, choices, mode) : value === 'T###' ? /^[A-Za-z-]*T\d+$/i.test(next) : type !== 'number' || /^\d+$/.test(next);
  const declared = (getOwn(shortFlags, name) ?? []).flatMap((each) => shapes.find((shape) => shape.name === each) ?? []);
  const hasValue = next !== '' && !next.startsWith('-');
  return declared.find((shape) => (shape.type === 'flag' ? true : hasValue || shape.name !== 'assignee') && fits(shape))?.name;
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
  if (name === '--mine' && flags.has('--assignee')) return { replacement: '--assignee=me' };
  if (name.startsWith('--') && flags.has('--open') && selectsOpenTasks(name.slice(2))) return { replacement: '--open' };
  // `--filter status=done`
  const pair = filterFlags.has(name) ? (inline ?? next) : undefined;
  const filter = pair === undefined ? undefined : correctPair(operation, shapes, pair);
  if (filter !== undefined && filter !== pair) return { replacement: filter, usesNext: inline === undefined };
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
