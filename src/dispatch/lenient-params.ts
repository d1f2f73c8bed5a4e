import type { Shortcut } from '#core/cli-definition.ts';
import { describeParams, type ParamShape } from '#core/command-line.ts';
import type { CommandDefinition, OperationKind } from '#core/define.ts';
import { matchParamName } from '#core/rules/param-names.ts';
import { guessChoice, isStatusChoices, normalizeWord, parseChoice, selectsOpenTasks } from '#core/rules/words.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';

type Fields = Record<string, unknown>;

/** Parameters in their canonical form, and warnings about values that were ignored. */
interface CorrectedParams {
  params: Fields;
  warnings: string[];
}

/** Corrects parameters whose meaning is plain: other spellings of names and values, text instead of a number, a flag or a list.
 *  Undefined if the input is not an object. Everything else stays as it is, so that strict parsing rejects it. */
export function correctParams(
  operation: Pick<CommandDefinition, 'params' | 'paramAliases'> & Partial<Pick<CommandDefinition, 'cli'>> & { kind?: OperationKind },
  input: unknown,
): CorrectedParams | undefined {
  const given = toFields(input) ?? nameValue(operation.cli, input);
  if (!given) return undefined;
  const warnings: string[] = [];
  const unwrapped = unwrapParams(given, operation);
  const filled = operation.kind === 'query' ? dropEmptyFilters(operation, unwrapped) : unwrapped;
  return { params: correctFields(operation.params, filled, operation.paramAliases, warnings), warnings };
}

/** Reads `null` as no parameters, and JSON text as the object that it contains. */
export function toFields(input: unknown): Fields | undefined {
  if (input === undefined || input === null || input === '') return {};
  const value = typeof input === 'string' && /^\s*\{/.test(input) ? parseJson(input) : input;
  return isPlainObject(value) ? value : undefined;
}

/** Reads a text or a list of texts in place of the parameters as what the command takes by position: `"T001"` is the task. Text that
 *  begins like JSON is an object that was cut off. */
function nameValue(cli: CommandDefinition['cli'] | undefined, input: unknown): Fields | undefined {
  const { args: [first] = [], several } = cli ?? {};
  const values = Array.isArray(input) ? input : [input];
  if (!first || values.length === 0 || !values.every((value) => typeof value === 'string' && /^[^{["]/.test(value.trim())))
    return undefined;
  if (values.length === 1) return { [first]: values[0] };
  return several ? { [several]: values } : undefined;
}

/** An empty text in a query is a filter that was not filled in; in a write it may clear a field. A required parameter is not a filter:
 *  its own check says what is wrong with an empty value. */
function dropEmptyFilters({ params, paramAliases }: Pick<CommandDefinition, 'params' | 'paramAliases'>, given: Fields): Fields {
  const shapes = new Map(describeParams(params).map((shape) => [shape.name, shape]));
  const names = nameFields(given, [...shapes.keys()], paramAliases);
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== '' || shapes.get(names.get(name) ?? name)?.isRequired),
  );
}

const wrappers = new Set(['params', 'parameters', 'args', 'arguments', 'input', 'data', 'payload', 'task', 'issue', 'item', 'fields']);
const changeWrappers = new Set(['updates', 'update', 'changes', 'change', 'patch', 'set', 'values', 'attributes', 'properties']);
const filterWrappers = new Set(['filter', 'filters', 'where']);

/** Unwraps `{"params": {…}}`, which callers send when they nest the arguments of the tool once too often, and the objects in which other
 *  tools take fields, changes or filters: `{"taskId": "T001", "updates": {"priority": "high"}}`. A name in both is ambiguous. */
function unwrapParams(given: Fields, { params, paramAliases }: Pick<CommandDefinition, 'params' | 'paramAliases'>): Fields {
  const declared = Object.keys(params.entries);
  return Object.entries(given).reduce((fields: Fields, [name, value]) => {
    const isFilter = filterWrappers.has(name);
    if (declared.includes(name) || !(wrappers.has(name) || changeWrappers.has(name) || isFilter)) return fields;
    const inner = isFilter && typeof value === 'string' ? parsePairs(value) : toObject(value);
    const { [name]: _, ...others } = fields;
    const merged = { ...others, ...inner };
    const names = nameFields(merged, declared, paramAliases);
    const isPlain = inner && Object.keys(inner).every((each) => names.has(each) && !Object.hasOwn(others, each));
    return isPlain ? merged : fields;
  }, given);
}

const toObject = (value: unknown): Fields | undefined => (typeof value === 'string' || isPlainObject(value) ? toFields(value) : undefined);

/** Parses `status:done` and `status=done,priority=high`, the filters of other command lines. */
function parsePairs(text: string): Fields | undefined {
  const pairs = text.split(/[\s,]+/).map((pair) => /^(\w+)[:=](.+)$/.exec(pair));
  return pairs.every((pair) => pair !== null) ? Object.fromEntries(pairs.map(([, name, value]) => [name, value])) : undefined;
}

function correctFields(schema: unknown, given: Fields, aliases: Record<string, string> | undefined, warnings: string[]): Fields {
  const shapes = new Map(describeParams(schema).map((shape) => [shape.name, shape]));
  const names = nameSeveral(given, nameFields(given, [...shapes.keys()], aliases), shapes);
  const isFilter = shapes.get('open')?.type === 'flag' && !Object.hasOwn(given, 'open');
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
      const known = names.get(name) ?? name;
      const shape = shapes.get(known);
      if (!shape) return [[name, value]];
      if (value === null && !shape.isRequired) warnings.push(`${known}: null was ignored`);
      if (isAbsent(value, shape)) return [];
      const word = Array.isArray(value) && value.length === 1 ? value[0] : value;
      if (isFilter && typeof word === 'string' && isStatusChoices(shape.choices ?? [])) {
        if (selectsOpenTasks(word)) return [['open', true]];
        if (['all', 'any'].includes(normalizeWord(word))) return [];
      }
      return [[known, correctValue(shape, value, findEntry(schema, known), warnings)]];
    }),
  );
}

const severalIds = /^\s*#?T?\d+(?:[\s;]+#?T?\d+)+\s*$/i;

/** Several ids in `taskId` are meant as `taskIds`, where an operation has it. */
function nameSeveral(given: Fields, names: Map<string, string>, shapes: Map<string, ParamShape>): Map<string, string> {
  if (!shapes.has('taskIds') || [...names.values()].includes('taskIds')) return names;
  const isSeveral = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 1 : typeof value === 'string' && (value.includes(',') || severalIds.test(value));
  return new Map([...names].map(([name, known]) => [name, known === 'taskId' && isSeveral(given[name]) ? 'taskIds' : known]));
}

/** Maps the given names to declared ones. A parameter that is passed under two names keeps both, so that parsing rejects it. */
export function nameFields(given: Fields, declared: string[], aliases: Record<string, string> = {}): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of Object.keys(given)) {
    const known = declared.includes(name) ? name : matchParamName(name, declared, aliases);
    const isTaken = known !== name && (Object.hasOwn(given, known ?? '') || [...names.values()].includes(known ?? ''));
    if (known !== undefined && !isTaken) names.set(name, known);
  }
  return names;
}

/** Names the parameters of a shortcut as its operation does, and adds those that the word itself sets. */
export function applyShortcut(shortcut: Shortcut | undefined, input: unknown): unknown {
  const given = shortcut && toFields(input);
  if (!given) return input;
  const { args, params, paramAliases = {} } = shortcut;
  const names = nameFields(given, args, paramAliases);
  return { ...params, ...Object.fromEntries(Object.entries(given).map(([name, value]) => [names.get(name) ?? name, value])) };
}

/** An empty id, choice, number or flag is a form that was not filled in. An empty text may clear a field. */
function isAbsent(value: unknown, { isRequired, type, choices, value: placeholder }: ParamShape): boolean {
  if (isRequired) return false;
  return value === null || (value === '' && (type !== 'text' || choices !== undefined || placeholder === 'T###'));
}

function correctValue(shape: ParamShape, value: unknown, schema: unknown, warnings: string[]): unknown {
  switch (shape.type) {
    case 'number':
      return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
    case 'flag':
      return toFlagValue(value);
    case 'list':
      return toList(shape, value).map((item) =>
        isPlainObject(item) && hasEntries(schema)
          ? correctFields(schema, item, undefined, warnings)
          : correctText(shape, readLabelObject(shape.name, item)),
      );
    default:
      if (!isTextSchema(schema)) return value;
      return correctText(shape, Array.isArray(value) && value.length === 1 ? value[0] : value);
  }
}

function toFlagValue(given: unknown): unknown {
  const value = Array.isArray(given) && given.length === 1 ? given[0] : given;
  // The text of a deeply nested list exceeds the stack.
  if (typeof value === 'object') return given;
  const word = String(value).toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  return ['false', 'no', 'off', '0'].includes(word) ? false : given;
}

/** Splits text only where a separator cannot be part of an item: ids at spaces, commas and semicolons, labels at commas, choices also at
 *  `|`, anything else at the separator of the command line. A path may contain a comma. */
function toList(shape: ParamShape, value: unknown): unknown[] {
  const { name, separator, choices, value: placeholder } = shape;
  const isId = placeholder === 'T###';
  const split = (text: string): string[] => {
    const splits = separator !== ',' || isId || choices !== undefined || /labels?$/i.test(name);
    const items = splits ? text.split(isId ? /[\s,;]+/ : choices ? /[,|;]/ : separator) : [text];
    return items.map((item) => item.trim()).filter((item) => item !== '');
  };
  // The command line has split the text at commas.
  if (Array.isArray(value))
    return dropBrackets(choices ? value.flatMap((item) => (typeof item === 'string' ? split(item) : [item])) : value);
  if (typeof value !== 'string') return [value];
  const list = /^\s*\[/.test(value) ? parseJson(value) : undefined;
  return Array.isArray(list) ? list : dropBrackets(split(value));
}

/** Drops the brackets and quotes of a list in another notation: `['a', 'b']` and `[a, b]`, split at the commas by the command line. */
function dropBrackets(items: unknown[]): unknown[] {
  const [first, last] = [items[0], items.at(-1)];
  if (typeof first !== 'string' || typeof last !== 'string' || !first.startsWith('[') || !last.endsWith(']')) return items;
  const bare = items.map((item, i) =>
    typeof item === 'string' ? item.slice(i === 0 ? 1 : 0, i === items.length - 1 ? -1 : undefined).trim() : item,
  );
  return bare.map((item) => (typeof item === 'string' ? (/^(["'])(.*)\1$/s.exec(item)?.[2] ?? item) : item)).filter((item) => item !== '');
}

/** An id with a number sign, the word task, quotes, brackets, punctuation or the title after it. Without T only a number sign or the word
 *  task makes a number an id: other tools have ids of their own. */
const idForms = [
  /^\s*(?:#|task[-_ ]?)(\d+)\s*$/i,
  /^[\s"'`([{<#]*(?:task[-_:# ]*)?(T-?\d+)[\s"'`)\]}>.,;:!?]*$/i,
  /^\s*(T\d+)\s*(?::|\s[-\u2013\u2014])\s+\S/i,
];

function correctText({ name, choices, value: placeholder }: ParamShape, given: unknown): unknown {
  const value = placeholder === 'T###' ? readIdObject(given) : given;
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof text !== 'string') return text;
  if (placeholder === 'T###') return idForms.map((form) => form.exec(text)?.[1]).find((id) => id !== undefined) ?? text;
  if (placeholder === 'DATE') return correctDate(name, text);
  return (choices && parseChoice(text, choices)) ?? text;
}

/** Reads a time as its day, and `24.12.2026` and `next week` as other tools do. */
function correctDate(name: string, text: string): string {
  const [, day] = /^(\d{4}-\d{2}-\d{2})T[\d:.]+(?:Z|[+-][\d:]+)?$/.exec(text) ?? [];
  const [, date = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  if (year) return `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  if (name === 'due' && normalizeWord(text) === 'nextweek') return '1w';
  return day ?? text.replace(/^(\d{4})\/(\d{2})\/(\d{2})$/, '$1-$2-$3');
}

/** Reads a label as GitHub returns it: `{"name": "bug"}`. */
const readLabelObject = (name: string, value: unknown): unknown =>
  /labels?$/i.test(name) && isPlainObject(value) && typeof value.name === 'string' ? value.name : value;

/** Reads the id of a task that was passed whole: `{"id": "T001"}`. */
function readIdObject(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const id = value.id ?? value.taskId;
  return typeof id === 'string' || typeof id === 'number' ? id : value;
}

interface SchemaNode {
  type?: string;
  options?: unknown[];
  pipe?: SchemaNode[];
  metadata?: { jsonSchema?: { type?: string } };
  entries?: Record<string, SchemaNode>;
  wrapped?: SchemaNode;
  item?: SchemaNode;
}

/** Returns the schema of the items of a list, or of the parameter itself. */
function findEntry(schema: unknown, name: string): SchemaNode | undefined {
  const node = (schema as SchemaNode).entries?.[name];
  const inner = node?.wrapped ?? node;
  return inner?.item ?? inner;
}

/** A value that may be an object, a list or a number is passed on as it is: `[1]` is not a spelling of 1 there. */
function isTextSchema(schema: unknown): boolean {
  const { type = '', wrapped, options = [], pipe = [] } = (schema ?? {}) as SchemaNode;
  if (wrapped) return isTextSchema(wrapped);
  if (type === 'custom') return pipe.some((step) => step.metadata?.jsonSchema?.type === 'string' || isTextSchema(step));
  return ['string', 'picklist', 'literal'].includes(type) || (type === 'union' && options.every(isTextSchema));
}

const hasEntries = (schema: unknown): boolean => isPlainObject((schema as SchemaNode | undefined)?.entries);

export { guessChoice, matchParamName, parseChoice, selectsOpenTasks };
