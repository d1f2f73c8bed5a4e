import type { Shortcut } from '#core/cli-definition.ts';
import type { CommandDefinition, OperationKind } from '#core/define.ts';
import { matchParamName } from '#core/rules/param-names.ts';
import { guessChoice, isStatusChoices, normalizeWord, parseChoice } from '#core/rules/words.ts';
import { describeParams, type ParamShape } from '#core/shape.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
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
  operation: Pick<CommandDefinition, 'params' | 'paramAliases'> & { kind?: OperationKind },
  input: unknown,
): CorrectedParams | undefined {
  const given = toFields(input);
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

/** An empty text in a query is a filter that was not filled in; in a write it may clear a field. A required parameter is not a filter:
 *  its own check says what is wrong with an empty value. */
function dropEmptyFilters({ params, paramAliases }: Pick<CommandDefinition, 'params' | 'paramAliases'>, given: Fields): Fields {
  const shapes = new Map(describeParams(params).map((shape) => [shape.name, shape]));
  const names = nameFields(given, [...shapes.keys()], paramAliases);
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== '' || shapes.get(names.get(name) ?? name)?.isRequired),
  );
}

const wrappers = new Set(['params', 'parameters', 'args', 'arguments', 'input']);

/** Unwraps `{"params": {…}}`, which callers send when they nest the arguments of the tool once too often. */
function unwrapParams(given: Fields, { params }: Pick<CommandDefinition, 'params'>): Fields {
  const [name = '', ...more] = Object.keys(given);
  if (more.length > 0 || !wrappers.has(name) || Object.hasOwn(params.entries, name)) return given;
  return toFields(given[name]) ?? given;
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
        if (normalizeWord(word) === 'open') return [['open', true]];
        if (['all', 'any'].includes(normalizeWord(word))) return [];
      }
      return [[known, correctValue(shape, value, findEntry(schema, known), warnings)]];
    }),
  );
}

/** Several ids in `taskId` are meant as `taskIds`, where an operation has it. */
function nameSeveral(given: Fields, names: Map<string, string>, shapes: Map<string, ParamShape>): Map<string, string> {
  if (!shapes.has('taskIds') || [...names.values()].includes('taskIds')) return names;
  const isSeveral = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 1 : typeof value === 'string' && value.includes(',');
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
        isPlainObject(item) && hasEntries(schema) ? correctFields(schema, item, undefined, warnings) : correctText(shape, item),
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

/** Splits text only where a separator cannot be part of an item: in ids, labels and choices at commas, elsewhere at the separator of
 *  the command line. A path may contain a comma. */
function toList({ name, separator, choices, value: placeholder }: ParamShape, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return [value];
  const list = /^\s*\[/.test(value) ? parseJson(value) : undefined;
  if (Array.isArray(list)) return list;
  const splits = separator !== ',' || placeholder === 'T###' || choices !== undefined || /labels$/i.test(name);
  const items = splits ? value.split(separator) : [value];
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

function correctText({ choices, value: placeholder }: ParamShape, value: unknown): unknown {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof text !== 'string') return text;
  if (placeholder === 'T###') return /^\s*(?:#|task[-_ ]?)(\d+)\s*$/i.exec(text)?.[1] ?? text;
  return (choices && parseChoice(text, choices)) ?? text;
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

export { guessChoice, parseChoice };
