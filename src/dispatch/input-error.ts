import type { BaseIssue } from 'valibot';
import { formatCommand, listCommandNames, toFlag } from '#core/command-line.ts';
import type { CommandDefinition, Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { toGatewayCall } from '#core/errors/row.ts';
import type { Gateway } from '#core/model/audit.ts';
import { parseTaskId } from '#core/model/scalars.ts';
import { guessChoice } from '#core/rules/words.ts';
import { describeParams, type ParamShape } from '#core/shape.ts';
import { defined } from '#lib/defined.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import { findNearest } from '#lib/nearest.ts';
import { slugify } from '#lib/slug.ts';
import type { Call } from './call-context.ts';
import { correctParams } from './lenient-params.ts';
import { isValidShape } from './parse.ts';

/** The surface of a call that does not parse, and the files that it read parameters from. */
export interface CallOrigin {
  gateway?: Gateway;
  paths?: Record<string, string>;
}

/** Creates the error of a call through the wrong gateway; its call repeats the parameters through the right one. */
export function createWrongGatewayError(
  operation: CommandDefinition,
  expected: 'query' | 'mutate',
  { params, gateway, session, agent, idempotencyKey }: Pick<Call, 'params' | 'gateway' | 'session' | 'agent' | 'idempotencyKey'>,
): CleoError {
  const [domain = '', ...rest] = operation.name.split('.');
  const entryPoint = gateway === 'http' ? `POST /api/${expected}/${domain}/${rest.join('.')}` : `cleo_${expected}`;
  const error = new CleoError('E_INVALID_INPUT', {
    problem: `${operation.name} ${expected === 'query' ? 'reads' : 'writes'}; call ${entryPoint}`,
    fix: (isPlainObject(params) && formatShortCommand(operation, params)) || formatHelpCommand(operation),
  });
  error.call = {
    ...toGatewayCall(operation.name, expected, params),
    ...defined({ session, agent, idempotencyKey: expected === 'mutate' ? idempotencyKey : undefined }),
  };
  return error;
}

const formatHelpCommand = (operation: CommandDefinition): string => `cleo help ${listCommandNames(operation)[0] ?? operation.name}`;

export const createParamsError = (operation: CommandDefinition): CleoError =>
  new CleoError('E_INVALID_INPUT', { problem: 'params must be an object', fix: formatHelpCommand(operation) });

/** Creates the error of parameters that do not parse. A wrong shape (exit 2) is reported before a violated rule (exit 6). */
export function createInputError(
  operation: CommandDefinition,
  input: Record<string, unknown>,
  issues: BaseIssue<unknown>[],
  { paths }: CallOrigin,
): CleoError {
  const shape = issues.find((issue) => issue.kind === 'schema');
  return shape ? createShapeError(operation, input, shape, paths) : createRuleError(operation, input, issues[0] as BaseIssue<unknown>);
}

function createShapeError(
  operation: CommandDefinition,
  input: Record<string, unknown>,
  issue: BaseIssue<unknown>,
  paths: Record<string, string> | undefined,
): CleoError {
  const shapes = describeParams(operation.params);
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  const field = path[0] ?? '';
  const shape = shapes.find((s) => s.name === field);
  if (!shape) return createUnknownParamError(operation, input, field, shapes);
  if (issue.received === 'undefined' && path.length === 1)
    return new CleoError('E_INVALID_INPUT', {
      problem: `${formatParamName(operation, shape)} is required`,
      fix: suggestCall(operation, input, paths),
      field,
    });
  const suggestions = shape.choices && typeof issue.input === 'string' ? suggestChoices(issue.input, shape.choices) : [];
  const meant = splitIds(input[field], shape) ?? (suggestions.length === 1 && shape.type === 'text' ? suggestions[0] : undefined);
  const corrected = meant && { ...input, [field]: meant };
  return new CleoError('E_INVALID_INPUT', {
    problem: `${path.length > 1 ? path.join('.') : formatParamName(operation, shape)}: ${shape.choices ? `${formatValue(issue.input)} is not one of ${shape.choices.join(', ')}` : `${formatExpected(issue)}, received ${formatValue(issue.input)}`}`,
    fix:
      (corrected && formatShortCommand(operation, corrected, paths)) ??
      suggestTask(issue.input, shape) ??
      suggestCall(operation, input, paths),
    field,
    ...(suggestions.length ? { suggestions } : {}),
  });
}

/** Creates the error of an unknown name. With one suggestion, its fix is the same call of that operation. */
export function createUnknownOperationError(
  name: string,
  suggestions: string[],
  suggested: CommandDefinition | undefined,
  params: unknown,
): CleoError {
  const corrected = suggested && correctParams(suggested, params)?.params;
  const fix = suggested && corrected && formatShortCommand(suggested, corrected);
  return new CleoError('E_INVALID_OPERATION', { operation: name.slice(0, 100), suggestions, ...(fix ? { fix } : {}) });
}

/** Suggests by meaning, then by spelling: the priority `1` of another tool may mean high. */
function suggestChoices(word: string, choices: string[]): string[] {
  const guess = guessChoice(word, choices);
  return guess ? [guess] : findNearest(word, choices);
}

/** Formats the call that is probably meant: misspelt names and choices replaced, labels in the form of labels, and parameters left out
 *  that the operation does not have. A write must still name its target, because its default would be another task. */
function suggestCall(operation: CommandDefinition, input: Record<string, unknown>, paths?: Record<string, string>): string {
  const shapes = new Map(describeParams(operation.params).map((shape) => [shape.name, shape]));
  const target = operation.cli.args?.[0];
  const mayOmit = (operation as Partial<Operation>).kind === 'query' || (target !== undefined && input[target] !== undefined);
  const given = Object.entries(input);
  const repaired = given.flatMap(([name, value]): [string, unknown][] => {
    const shape = shapes.get(name);
    if (shape) return [[name, repairValue(shape, value)]];
    const [meant, ...more] = findNearest(name, [...shapes.keys()]);
    if (meant && more.length === 0 && input[meant] === undefined) return [[meant, value]];
    return mayOmit && !meant ? [] : [[name, value]];
  });
  const isChanged =
    repaired.length !== given.length || repaired.some(([name, value], i) => name !== given[i]?.[0] || value !== given[i]?.[1]);
  return (isChanged && formatShortCommand(operation, Object.fromEntries(repaired), paths)) || formatHelpCommand(operation);
}

function repairValue({ name, type, choices }: ParamShape, value: unknown): unknown {
  if (Array.isArray(value) && /labels$/i.test(name)) return value.every((label) => toLabel(label) === label) ? value : value.map(toLabel);
  if (name === 'label') return toLabel(value);
  const [choice, ...more] =
    choices && type === 'text' && typeof value === 'string' && !choices.includes(value) ? suggestChoices(value, choices) : [];
  return choice && more.length === 0 ? choice : value;
}

const toLabel = (value: unknown): unknown =>
  typeof value === 'string' ? slugify(value, { maxLength: 50, allow: '._:/-' }) || value : value;

function createUnknownParamError(
  operation: CommandDefinition,
  input: Record<string, unknown>,
  field: string,
  shapes: ParamShape[],
): CleoError {
  const free = shapes.map((s) => s.name).filter((name) => input[name] === undefined);
  const suggestions = findNearest(field, free);
  const { [field]: value, ...rest } = input;
  const corrected =
    suggestions.length === 1 && suggestions[0] ? formatShortCommand(operation, { ...rest, [suggestions[0]]: value }) : undefined;
  return new CleoError('E_INVALID_INPUT', {
    problem: `${operation.name} has no parameter ${formatValue(field)}${suggestions.length ? `; did you mean ${suggestions.map((n) => `${n} (${toFlag(n)})`).join(' or ')}?` : ''}`,
    fix: corrected ?? suggestCall(operation, input),
    field: field.slice(0, 100),
    ...(suggestions.length ? { suggestions } : {}),
  });
}

function createRuleError(operation: CommandDefinition, input: Record<string, unknown>, issue: BaseIssue<unknown>): CleoError {
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  return new CleoError('E_VALIDATION', {
    field: path.findLast((step) => !/^\d+$/.test(step)) ?? path[0] ?? 'params',
    problem: issue.message,
    fix: suggestCall(operation, input),
  });
}

/** Suggests the task with the digits of a malformed id. A text with several numbers may mean any of them. */
function suggestTask(input: unknown, shape: ParamShape): string | undefined {
  if (shape.value !== 'T###' || typeof input !== 'string') return undefined;
  const [digits = '', ...more] = input.match(/\d+/g) ?? [];
  const id = more.length > 0 ? undefined : parseTaskId(digits);
  return id === undefined ? undefined : `cleo show ${id}`;
}

/** Splits a text with several ids, `T002,T003` or `T002 T003`, which was passed as one id or instead of a list. */
function splitIds(input: unknown, shape: ParamShape): string[] | undefined {
  if (shape.value !== 'T###' || shape.type !== 'list') return undefined;
  const ids = [input]
    .flat()
    .join(',')
    .split(/[\s,;]+/)
    .filter(Boolean);
  return ids.length > 0 && ids.every((id) => parseTaskId(id) !== undefined) ? ids : undefined;
}

const formatParamName = (operation: CommandDefinition, shape: ParamShape): string =>
  operation.cli.args?.includes(shape.name) ? shape.name : `${shape.name} (${toFlag(operation.cli.read?.[shape.name]?.flag ?? shape.name)})`;
const formatValue = (value: unknown): string => {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value.slice(0, 60))
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'object' && value !== null
          ? 'an object'
          : String(value);
  return typeof value === 'string' && value.length > 60 ? `${text}…` : text;
};

/** Formats the expected type. Valibot's own message repeats the value at any length. */
const formatExpected = (issue: BaseIssue<unknown>): string =>
  issue.message.startsWith('Invalid ') ? `expected ${issue.expected ?? 'something else'}` : issue.message;

/** Formats the corrected call if it is valid and fits on one short line. */
function formatShortCommand(
  operation: CommandDefinition,
  params: Record<string, unknown>,
  paths?: Record<string, string>,
): string | undefined {
  if (!isValidShape(operation, params)) return undefined;
  const command = formatCommand(operation, params, [], paths);
  return command.length <= 500 && !/[\0-\x1f]/.test(command) ? command : undefined;
}
