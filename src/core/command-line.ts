import { defined } from '#lib/collections.ts';
import type { CommandDefinition, Operation } from './define.ts';
import { commandLine } from './errors/catalog.ts';

/** A parameter as its schema describes it, for flags, help, completion and messages. */
export interface ParamShape {
  name: string;
  type: 'text' | 'number' | 'flag' | 'list';
  isRequired: boolean;
  choices?: string[];
  about: string;
  /** The placeholder of the value: `T###`, `N`. */
  value?: string;
  /** The form of a text that has one: `commit:SHA|files:A,B`. */
  form?: string;
  /** Few calls need it, so signatures leave it out; `admin.help {operation}` has it. */
  isRare?: boolean;
  /** The default value in the schema. */
  default?: string | number | boolean;
  /** Separates the items of a list on the command line. */
  separator: string;
}

interface SchemaNode {
  type: string;
  kind?: string;
  wrapped?: SchemaNode;
  item?: SchemaNode;
  options?: unknown[];
  pipe?: SchemaNode[];
  description?: string;
  metadata?: Record<string, unknown>;
  default?: unknown;
  entries?: Record<string, SchemaNode>;
}

export function describeParams(params: unknown): ParamShape[] {
  return Object.entries((params as SchemaNode).entries ?? {}).map(([name, node]) => describeParam(name, node));
}

/** Describes one parameter; undefined if there is none of this name. */
export function findParam(params: unknown, name: string): ParamShape | undefined {
  const node = (params as SchemaNode).entries?.[name];
  return node && describeParam(name, node);
}

function describeParam(name: string, node: SchemaNode): ParamShape {
  const seen = { description: '', metadata: {} as Record<string, unknown> };
  const core = unwrapSchema(node, seen);
  const each = { description: '', metadata: {} as Record<string, unknown> };
  const item = core.type === 'array' && core.item ? unwrapSchema(core.item, each) : undefined;
  const options =
    (item ?? core).type === 'picklist' ? ((item ?? core).options as string[]) : (seen.metadata.choices as string[] | undefined);
  const value = seen.metadata.value ?? each.metadata.value ?? (core.type === 'union' ? findOptionValue(core) : undefined);
  const type: ParamShape['type'] =
    core.type === 'boolean' ? 'flag' : core.type === 'number' ? 'number' : core.type === 'array' ? 'list' : 'text';
  return defined({
    name,
    type,
    isRequired: node.type !== 'optional' || seen.metadata.isRequired === true,
    choices: options,
    about: seen.description,
    value: typeof value === 'string' ? value : undefined,
    form: seen.metadata.form as string | undefined,
    isRare: seen.metadata.isRare as boolean | undefined,
    default: isScalar(node.default) ? node.default : undefined,
    separator: typeof seen.metadata.separator === 'string' ? seen.metadata.separator : ',',
  });
}

/** Returns the placeholder of the first option that has one, such as the id in `none` or an id. */
function findOptionValue({ options = [] }: SchemaNode): unknown {
  const steps = (options as SchemaNode[]).flatMap((option) => option?.pipe ?? []);
  return steps.find((step) => step.metadata?.value !== undefined)?.metadata?.value;
}

const isScalar = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Unwraps `optional` and pipes down to the schema itself and collects descriptions and metadata; the outermost ones win. */
function unwrapSchema(node: SchemaNode, seen: { description: string; metadata: Record<string, unknown> }): SchemaNode {
  let schema = node;
  for (;;) {
    for (const step of [...(schema.pipe ?? [])].reverse()) {
      if (step.type === 'description') seen.description ||= step.description ?? '';
      if (step.type === 'metadata') seen.metadata = { ...step.metadata, ...seen.metadata };
    }
    const inner = schema.wrapped ?? (schema.pipe?.[0] !== schema ? schema.pipe?.[0] : undefined);
    if (!inner || inner === schema) return schema;
    // The first step of a pipe may be a copy of the pipe itself; it is followed only if it contains more.
    if (!schema.wrapped && !inner.pipe && !inner.wrapped) return schema.type === 'optional' ? inner : schema;
    schema = inner;
  }
}

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
